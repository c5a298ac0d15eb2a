//! leader_state
