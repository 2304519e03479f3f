//! The examples at the end of the help of each subcommand.

pub const NEW: &str = "Examples:
  cloth-sim new my_scene                        # my_scene.ron: a tablecloth falls onto a ball
  cloth-sim new my_dress --template garment";

pub const RESUME: &str = "Examples:
  cloth-sim resume out/tablecloth
  cloth-sim resume out/tablecloth --frames 50 --ranks 2
  cloth-sim resume out/tablecloth --from-frame 10 --set air.wind_m_per_s=(2,0,0)";

pub const INFO: &str = "Examples:
  cloth-sim info scenes/tablecloth.ron
  cloth-sim info scenes/tablecloth.ron --refine 2 --threads 2
  cloth-sim info scenes/tablecloth.ron --json   # for another program";

pub const CHECK: &str = "Examples:
  cloth-sim check out/tablecloth
  cloth-sim check out/tablecloth --max-strain 0.1
  cloth-sim check out/tablecloth --json         # the numbers of each frame";

pub const COMPARE: &str = "Examples:
  cloth-sim compare out/a out/b                 # exit code 0: equal; 1: not; 2: an error
  cloth-sim compare out/a out/b --json";

pub const CONVERT: &str = "Examples:
  cloth-sim convert out/tablecloth --to usd     # for Houdini or Blender
  cloth-sim convert out/tablecloth --to pc2,vtp";

pub const MESH: &str = "Examples:
  cloth-sim mesh meshes/tablecloth.obj --fabric wool_tropical
  cloth-sim mesh game.obj --weld --out one.obj  # joins vertices at the same place
  cloth-sim mesh dress.obj --relax --refine 2 --out finer.obj
  cloth-sim mesh --shape 'Disc(radius_m: 0.5, rings: 40)' --out disc.obj";

pub const PROFILE: &str = "Examples:
  cloth-sim profile out/tablecloth
  cloth-sim profile out/a out/b                 # both, one after the other";

pub const VIEW: &str = "Examples:
  cloth-sim view out/tablecloth
  cloth-sim view out/tablecloth --live          # while the run goes on
  cloth-sim view out/tablecloth --no-open --output run.html --limit-mb 8";

pub const PICTURE: &str = "Examples:
  cloth-sim picture out/tablecloth              # the last frame as a PNG file
  cloth-sim picture out/tablecloth --frame 12 --colour strain --size 1920x1080
  cloth-sim picture out/tablecloth --turntable --from 0,30
  cloth-sim picture out/tablecloth --animation --output fall.gif";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};
    use cloth_bodies::bodies::cloth::material::MaterialSpec;

    use crate::program::cli::{Command, CommandLine};
    use crate::program::output::formats;

    /// The words of a line of a shell, without its comment.
    fn words(line: &str) -> Vec<String> {
        let line = line.split('#').next().unwrap_or_default();
        let parts = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        parts.collect()
    }

    #[test]
    fn short_lines_are_answered_with_what_could_be_said() {
        let said = |line: &[&str]| CommandLine::try_parse_from(line).unwrap_err().to_string();
        let short = said(&["cloth-sim"]);
        assert!(short.contains("Commands:") && short.contains("Examples:"), "{short}");
        let all = formats::ALL.map(|format| format.name()).join(",");
        assert!(said(&["cloth-sim", "convert", "out"]).contains(&all), "{all}");
    }

    #[test]
    fn every_subcommand_has_examples_that_are_understood() {
        let known_without = ["help", "completions", "man"];
        for command in CommandLine::command().get_subcommands() {
            let name = command.get_name();
            let examples = command.get_after_long_help().map(ToString::to_string);
            assert!(examples.is_some() || known_without.contains(&name), "{name}");
            for line in examples.iter().flat_map(|text| text.lines().skip(1)) {
                match CommandLine::try_parse_from(words(line)) {
                    Err(why) => panic!("{line}: {why}"),
                    Ok(CommandLine { command: Some(Command::Mesh(it)), .. }) => {
                        MaterialSpec::Fabric(it.fabric).resolve(line).unwrap();
                    }
                    Ok(_) => {}
                }
            }
        }
    }
}
