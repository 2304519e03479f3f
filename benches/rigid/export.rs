use crate::plan::Plan;
pub fn export(_: &Plan) {}
