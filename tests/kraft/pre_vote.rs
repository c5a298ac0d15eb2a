//! pre_vote
