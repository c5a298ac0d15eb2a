//! quorum_state
