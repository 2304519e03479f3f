//! `cloth-sim picture`: files that other readers open, with the scene in the middle.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::run::{BINARY, finish, run_of_tests};

fn picture(run: &Path, more: &[&str]) -> Output {
    finish(Command::new(&*BINARY).arg("picture").arg(run).args(more))
}

/// Draws into `file` of the run folder.
fn draw(run: &Path, file: &str, more: &[&str]) -> PathBuf {
    let file = run.join(file);
    let output = picture(run, &[&["--output", file.to_str().expect("UTF-8")], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

/// Why a picture is refused.
fn refusal(run: &Path, more: &[&str]) -> String {
    let output = picture(run, more);
    assert!(!output.status.success(), "{more:?} is accepted");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Width, height and pixels of a PNG file.
fn read_png(file: &Path) -> ([u32; 2], Vec<[u8; 3]>) {
    let file = File::open(file).expect("a picture");
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let pixels = bytes.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect();
    ([info.width, info.height], pixels)
}

/// Width, height and the delays (1/100 s) of a GIF file, and its pictures as red, green, blue and
/// alpha.
fn read_gif(file: &Path) -> ([u16; 2], Vec<u16>, Vec<Vec<u8>>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let file = BufReader::new(File::open(file).expect("a picture"));
    let mut decoder = options.read_info(file).expect("a GIF file");
    let size = [decoder.width(), decoder.height()];
    let (mut delays, mut pictures) = (Vec::new(), Vec::<Vec<u8>>::new());
    while let Some(frame) = decoder.read_next_frame().expect("a picture") {
        let all = usize::from(size[0]) * usize::from(size[1]) * 4;
        let mut whole = pictures.last().cloned().unwrap_or_else(|| vec![0; all]);
        for (at, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (width, left) = (usize::from(frame.width), usize::from(frame.left));
            let row = usize::from(frame.top) + at / width;
            let place = 4 * (row * usize::from(size[0]) + left + at % width);
            if pixel[3] > 0 {
                whole[place..place + 4].copy_from_slice(pixel);
            }
        }
        delays.push(frame.delay);
        pictures.push(whole);
    }
    (size, delays, pictures)
}

/// The number and the middle (shares of width and height) of the pixels that are clearly coloured
/// as the first category is: blue.
fn blue(width: u32, pixels: &[[u8; 3]]) -> (usize, [f64; 2]) {
    let is_blue = |&[r, _, b]: &[u8; 3]| i32::from(b) > i32::from(r) + 40;
    let places = Vec::from_iter((0..pixels.len()).filter(|&it| is_blue(&pixels[it])));
    let height = pixels.len() / width as usize;
    let mean = |place: &dyn Fn(usize) -> usize, length: usize| {
        let sum: usize = places.iter().map(|&it| place(it)).sum();
        sum as f64 / (places.len() * length) as f64
    };
    let width = width as usize;
    (places.len(), [mean(&|it| it % width, width), mean(&|it| it / width, height)])
}

#[test]
fn a_picture_shows_the_cloth_in_the_middle_and_is_the_same_for_any_threads() {
    let (_folder, run) = run_of_tests("among_cloth.ron", &["--frames", "2"]);
    let file = draw(&run, "top.png", &["--from", "top", "--size", "240x200", "--frame", "0"]);
    let (size, pixels) = read_png(&file);
    assert_eq!(size, [240, 200]);
    let (count, middle) = blue(size[0], &pixels);
    let share = count as f64 / pixels.len() as f64;
    assert!((0.2..0.9).contains(&share), "{share} of the picture is cloth");
    assert!(middle.iter().all(|it| (0.4..0.6).contains(it)), "the middle is {middle:?}");
    // The background is light.
    assert!(pixels[0].iter().all(|&it| it > 180), "{:?}", pixels[0]);
    // From below the cloth, bodies on it are hidden; its back is darker.
    let below = draw(&run, "below.png", &["--from", "bottom", "--size", "240x200", "--frame", "0"]);
    assert_ne!(read_png(&below).1, pixels);
    let mut single = Command::new(&*BINARY);
    single.arg("picture").arg(&run).args(["--from", "top", "--size", "240x200", "--frame", "0"]);
    assert!(finish(single.env("RAYON_NUM_THREADS", "1")).status.success());
    let bytes = |file: &Path| std::fs::read(file).expect("a picture");
    assert_eq!(bytes(&run.join("picture_0000.png")), bytes(&file));
    // It belongs to the run.
    let head = std::fs::read_to_string(run.join("run.json")).expect("run.json");
    assert!(head.contains("picture_0000.png") && !head.contains("top.png"), "{head}");
    // Colours with a scale say what they mean.
    let said = picture(&run, &["--colour", "speed", "--size", "64x64"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("colours: speed from 0 to") && said.contains("m/s"), "{said}");
}

#[test]
fn maps_are_colours_of_cloth() {
    let (_folder, run) = run_of_tests("maps.ron", &["--frames", "1"]);
    let said = picture(&run, &["--colour", "bending", "--size", "64x64", "--frame", "0"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("colours: bending from 1 to 20 times"), "{said}");
    // The scale is in the lower left corner.
    let more = ["--colour", "bending", "--size", "480x270", "--frame", "0", "-q"];
    let ([width, height], with) = read_png(&draw(&run, "with.png", &more));
    let (_, without) =
        read_png(&draw(&run, "without.png", &[&more[..], &["--no-legend"]].concat()));
    let places = (0..with.len()).filter(|&it| with[it] != without[it]);
    let (width, height) = (width as usize, height as usize);
    let is_corner = |place: usize| place % width < width / 2 && place / width > height / 2;
    let colours = places.clone().map(|it| with[it]).collect::<std::collections::BTreeSet<_>>();
    assert!(places.clone().all(is_corner) && colours.len() > 100, "{} colours", colours.len());
    let quiet = picture(&run, &more);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet:?}");
}

#[test]
fn joints_are_drawn_over_their_bodies_unless_they_are_hidden() {
    let (_folder, run) = run_of_tests("joints.ron", &["--frames", "1"]);
    let yellow = |more: &[&str]| {
        let more = [more, &["--size", "320x180", "--frame", "0"]].concat();
        let (_, pixels) = read_png(&draw(&run, "joints.png", &more));
        pixels.iter().filter(|&&[r, g, b]| r > 240 && g > 190 && b < 110).count()
    };
    assert!(yellow(&[]) > 20, "{}", yellow(&[]));
    assert_eq!(yellow(&["--joints", "hide"]), 0);
}

#[test]
fn a_gif_file_has_all_pictures_of_a_turn_or_an_animation() {
    let (_folder, run) = run_of_tests("bodies.ron", &[]);
    let small = ["--size", "96x64"];
    let file = draw(&run, "all.gif", &[&["--animation"], &small[..]].concat());
    let (size, delays, pictures) = read_gif(&file);
    assert_eq!((size, delays.len(), delays.last()), ([96, 64], 5, Some(&100)));
    assert!(pictures[0] != pictures[4] && pictures[0].chunks_exact(4).all(|it| it[3] == 255));
    // The last picture is that of the last frame, but for its few colours.
    let still = draw(&run, "last.png", &[&["--frame", "4"], &small[..]].concat());
    assert_eq!(read_png(&still).0, [96, 64]);
    let turn = ["--turntable", "--seconds", "1", "--frames-per-second", "8"];
    let (_, delays, pictures) = read_gif(&draw(&run, "turn.gif", &[&turn, &small[..]].concat()));
    assert_eq!((delays.len(), delays.iter().sum::<u16>()), (8, 100));
    assert!(pictures.windows(2).all(|pair| pair[0] != pair[1]));
    let part = ["--animation", "--first", "1", "--last", "2", "--seconds", "2"];
    let (_, delays, _) = read_gif(&draw(&run, "part.gif", &[&part, &small[..]].concat()));
    assert_eq!(delays, [200, 100]);
}

#[test]
fn what_cannot_be_drawn_is_refused_and_no_file_is_lost() {
    let (folder, run) = run_of_tests("bodies.ron", &["--frames", "1"]);
    let said = |more: &[&str]| refusal(&run, more);
    let text = said(&["--frame", "7"]);
    assert!(text.contains("--frame: the run has no frame 7") && text.contains("from 0 to 1"));
    for size in ["0x0", "640", "100000x100000"] {
        assert!(said(&["--size", size]).contains("write two numbers from 16 to 8192"));
    }
    assert!(said(&["--colour", "strain"]).contains("choose one of fabric, rank, speed"));
    assert!(said(&["--turntable", "--animation"]).contains("cannot be used with"));
    let other = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let text = said(&["--output", &other("a.jpeg")]);
    assert!(text.contains("a.jpeg") && text.contains("end the name with .png"), "{text}");
    assert!(said(&["--output", &other("a.gif")]).contains("add --turntable or --animation"));
    assert!(said(&["--output", &other("no/a.png")]).contains("--output"));
    let file = other("mine.png");
    std::fs::write(&file, "a photograph").expect("a file");
    let text = said(&["--output", &file]);
    assert!(text.contains("is no picture of this program") && text.contains("--overwrite"));
    assert_eq!(std::fs::read(&file).expect("it is there"), b"a photograph");
    let small = ["--size", "32x32", "--output", &file];
    assert!(picture(&run, &[&small[..], &["--overwrite"]].concat()).status.success());
    // An own picture is replaced.
    assert!(picture(&run, &small).status.success());
    assert!(refusal(folder.path(), &[]).contains("it has no run.json"));
    let left = std::fs::read_dir(folder.path()).expect("a folder");
    let names = left.map(|it| it.expect("an entry").file_name().into_string().expect("UTF-8"));
    assert!(names.into_iter().all(|it| ["run", "mine.png"].contains(&it.as_str())));
}
