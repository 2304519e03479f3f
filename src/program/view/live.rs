//! The page of a run that goes on, from a server that only this machine can reach.
//!
//! The page asks for the frames after its last one. Each frame is read once and kept as text.

use std::io::Cursor;

use cloth_core::error::{Error, Result};
use tiny_http::{Header, Request, Response, Server};

use crate::program::view::{View, page};

/// What the server answers.
type Answer = Response<Cursor<Vec<u8>>>;

/// A run that is shown while it goes on.
pub struct Live {
    view: View,
    /// Number and text of each frame so far.
    frames: Vec<(u64, String)>,
    /// The frame that is read next.
    next: u64,
}

impl Live {
    /// The run of `view`. No frame is read yet.
    pub fn new(view: View) -> Self {
        let next = view.record.frames.start;
        Self { view, frames: Vec::new(), next }
    }

    /// Serves the page at `port` of the loopback interface, 0 for any that is free, until the
    /// process ends. Calls `began` with its address.
    ///
    /// # Errors
    /// A port that is not free. Those of `began`.
    pub fn serve(mut self, port: u16, began: impl FnOnce(&str) -> Result<()>) -> Result<()> {
        let failed = |cause: String| Error::input("--port", cause, "choose another port");
        let server = Server::http(("127.0.0.1", port)).map_err(|it| failed(it.to_string()))?;
        let address = server.server_addr().to_string();
        began(&format!("http://{address}/"))?;
        for request in server.incoming_requests() {
            let answer = match is_from_here(&request) {
                true => self.answer(request.url()),
                false => text("this server answers its own machine only", 403),
            };
            // A browser that has gone needs no answer.
            let _ = request.respond(answer);
        }
        Ok(())
    }

    fn answer(&mut self, url: &str) -> Answer {
        let answer = match url.split_once("?after=") {
            None if url == "/" => self.page(),
            Some(("/frames", after)) => match after.parse() {
                Ok(after) => self.frames_after(after),
                Err(_) => return text("`after` is no number", 400),
            },
            _ => return text("there is no such page", 404),
        };
        answer.unwrap_or_else(|error| text(&error.to_string(), 500))
    }

    /// Reads the frames that the run has written since the last call. A frame that cannot be read
    /// is left out.
    fn read_new(&mut self) -> Result<()> {
        self.view.refresh()?;
        // The tables of the newest frame may still be written.
        let newest = u64::from(self.view.news.is_live);
        while self.next < self.view.record.frames.end.saturating_sub(newest) {
            if let Ok(frame) = self.view.new_frame(self.next) {
                let json = page::json(&frame).map_err(|it| Error::internal("a frame", it))?;
                self.frames.push((self.next, json));
            }
            self.next += 1;
        }
        Ok(())
    }

    /// The page with all frames so far.
    fn page(&mut self) -> Result<Answer> {
        self.read_new()?;
        let run = self.view.run_block();
        let mut html = Vec::new();
        let written = page::begin(&mut html, "cloth-sim, live", &run).and_then(|()| {
            self.frames.iter().try_for_each(|(_, json)| page::frame(&mut html, json))?;
            page::end(&mut html)
        });
        written.map_err(|cause| Error::internal("the page", cause))?;
        Ok(with_type(html, "text/html; charset=utf-8"))
    }

    /// The frames after frame `after` (-1: all), and what else has changed.
    fn frames_after(&mut self, after: i64) -> Result<Answer> {
        self.read_new()?;
        let is_new =
            |&&(number, _): &&(u64, String)| i64::try_from(number).is_ok_and(|it| it > after);
        let frames = Vec::from_iter(self.frames.iter().filter(is_new).map(|it| it.1.as_str()));
        let news =
            page::json(&self.view.news).map_err(|cause| Error::internal("the charts", cause))?;
        // The frames become a further field of the object.
        let fields = news.trim_start_matches('{');
        let json = format!("{{\"frames\":[{}],{fields}", frames.join(","));
        Ok(with_type(json.into_bytes(), "application/json"))
    }
}

/// Whether the request names this machine as a browser on it does. A page of another site whose
/// name leads here is refused.
fn is_from_here(request: &Request) -> bool {
    let host = request.headers().iter().find(|header| header.field.equiv("Host"));
    host.is_some_and(|header| {
        let value = header.value.as_str();
        let name = value.rsplit_once(':').map_or(value, |(name, _)| name);
        name == "127.0.0.1" || name == "localhost"
    })
}

fn with_type(body: Vec<u8>, kind: &str) -> Answer {
    let response = Response::from_data(body);
    match Header::from_bytes("Content-Type", kind) {
        Ok(header) => response.with_header(header),
        Err(()) => response,
    }
}

fn text(words: &str, status: u16) -> Answer {
    with_type(words.as_bytes().to_vec(), "text/plain; charset=utf-8").with_status_code(status)
}
