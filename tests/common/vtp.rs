//! Frames of rigid bodies that tests read and change.

/// A frame as a reader of the format sees it: arrays with some bytes for each body.
pub struct Frame {
    pub header: String,
    arrays: Vec<Array>,
}

struct Array {
    name: String,
    offset: usize,
    bodies: Vec<Vec<u8>>,
}

const BEGIN: &str = "<AppendedData encoding=\"raw\">\n_";
const END: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";

impl Frame {
    pub fn parse(file: &[u8]) -> Self {
        let begin = file.windows(BEGIN.len()).position(|it| it == BEGIN.as_bytes());
        let begin = begin.expect("appended data") + BEGIN.len();
        let header = String::from_utf8(file[..begin].to_vec()).expect("a header of text");
        let count: usize = attribute(&header, "NumberOfPoints").parse().expect("a count");
        let elements = header.lines().filter(|line| line.contains("offset=\""));
        let array = |line: &str| {
            let offset: usize = attribute(line, "offset").parse().expect("a number");
            let (length, data) = file[begin + offset..].split_at(8);
            let length = u64::from_le_bytes(length.try_into().expect("8 bytes")) as usize;
            let bodies = data[..length].chunks(length / count).map(<[u8]>::to_vec).collect();
            Array { name: attribute(line, "Name").to_owned(), offset, bodies }
        };
        let arrays = elements.map(array).collect();
        Self { header, arrays }
    }

    /// The file with the present number of bodies of the arrays.
    pub fn bytes(&self) -> Vec<u8> {
        let count = self.arrays[0].bodies.len();
        let mut header = self.header.clone();
        for name in ["NumberOfPoints", "NumberOfVerts"] {
            let old = format!("{name}=\"{}\"", attribute(&self.header, name));
            header = header.replace(&old, &format!("{name}=\"{count}\""));
        }
        let mut data = Vec::new();
        for array in &self.arrays {
            let (old, new) = (array.offset, data.len());
            header = header.replace(&format!("offset=\"{old}\"/"), &format!("offset=\"{new}\" /"));
            let bodies = array.bodies.concat();
            data.extend((bodies.len() as u64).to_le_bytes());
            data.extend(bodies);
        }
        [header.replace("\" />", "\"/>").as_bytes(), &data, END].concat()
    }

    pub fn array(&mut self, name: &str) -> &mut Vec<Vec<u8>> {
        let array = self.arrays.iter_mut().find(|array| array.name == name);
        &mut array.expect("an array of this name").bodies
    }

    /// Removes a body. Vertices are numbered, so the last one goes.
    pub fn remove(&mut self, body: usize) {
        for array in &mut self.arrays {
            match &*array.name {
                "connectivity" | "offsets" => drop(array.bodies.pop()),
                _ => drop(array.bodies.remove(body)),
            }
        }
    }
}

/// The value of the first attribute of this name.
fn attribute<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("{name}=\"")).expect("the attribute");
    rest.split_once('"').expect("its end").0
}
