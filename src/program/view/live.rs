//! The page of a run that goes on.
