//! `cloth-sim view`.
