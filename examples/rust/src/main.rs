// SPDX-License-Identifier: LGPL-2.1-or-later
//! Prints the statistics of every frame of a file, like framesum.c.
//!
//! usage: framesum [--meta|--stats] FILE-OR-URI
//!
//! Reads what clframesum measures: from the messages on the bus; with --meta,
//! from the meta on the buffers as an element further down sees it; with
//! --stats, from the property, which holds the latest result whenever somebody
//! looks, here ten times a second. All hold one and the same structure.

use gst::meta::CustomMeta;
use gst::prelude::*;
use gst::{glib, ClockTime, MessageType, MessageView, StructureRef};
use std::error::Error;
use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Messages,
    Meta,
    Stats,
}

/// Entry `i` of the array field `name`.
fn entry<T>(statistics: &StructureRef, name: &str, i: usize) -> Option<T>
where
    T: for<'a> glib::value::FromValue<'a> + 'static,
{
    let array = statistics.get::<gst::Array>(name).ok()?;
    let value = array.get(i)?.get::<T>().ok()?;
    Some(value)
}

/// One line a frame: its number and time, then each component.
fn line(statistics: &StructureRef) -> Option<String> {
    let frame: u64 = statistics.get("frame").ok()?;
    let timestamp: u64 = statistics.get("timestamp").ok()?;
    let mut line = format!("frame {frame} at {:.3} s", timestamp as f64 / 1e9);
    let mut i = 0;
    while let Some(name) = entry::<String>(statistics, "components", i) {
        line += &format!(
            " | {name} sum {} mean {:.3} stddev {:.3} min {} max {}",
            entry::<u64>(statistics, "sum", i)?,
            entry::<f64>(statistics, "mean", i)?,
            entry::<f64>(statistics, "stddev", i)?,
            entry::<u32>(statistics, "min", i)?,
            entry::<u32>(statistics, "max", i)?
        );
        i += 1;
    }
    Some(line)
}

fn print(statistics: &StructureRef) {
    if let Some(line) = line(statistics) {
        println!("{line}");
    }
}

/// Runs in the streaming thread for each buffer that reaches the sink.
fn print_meta(info: &mut gst::PadProbeInfo) -> gst::PadProbeReturn {
    if let Some(buffer) = info.buffer() {
        if let Ok(meta) = CustomMeta::from_buffer(buffer, "GstClFrameSumMeta") {
            print(meta.structure());
        }
    }
    gst::PadProbeReturn::Ok
}

/// Links the first video stream; other streams stay unlinked.
fn link_video(pad: &gst::Pad, converter: &gst::Element) {
    let is_video = pad
        .query_caps(None)
        .structure(0)
        .is_some_and(|caps| caps.name() == "video/x-raw");
    if let Some(sink) = converter.static_pad("sink") {
        if is_video && !sink.is_linked() {
            // an error of the link is one of the pipeline
            let _ = pad.link(&sink);
        }
    }
}

fn play(pipeline: &gst::Pipeline, place: Place) -> Result<(), Box<dyn Error>> {
    let statistics = pipeline.by_name("statistics").ok_or("no statistics")?;
    let bus = pipeline.bus().ok_or("no bus")?;
    let patience = match place {
        Place::Stats => Some(ClockTime::from_mseconds(100)),
        _ => None,
    };
    // why it fails is in a message
    let _ = pipeline.set_state(gst::State::Playing);
    loop {
        let message = bus.timed_pop_filtered(
            patience,
            &[MessageType::Eos, MessageType::Error, MessageType::Element],
        );
        if place == Place::Stats {
            let latest = statistics.property::<Option<gst::Structure>>("stats");
            if let Some(latest) = latest {
                print(&latest);
            }
        }
        let Some(message) = message else { continue };
        match message.view() {
            MessageView::Eos(_) => return Ok(()),
            MessageView::Error(error) => return Err(error.error().into()),
            _ => match message.structure() {
                Some(fields) if fields.name() == "clframesum" => print(fields),
                _ => (),
            },
        }
    }
}

fn run(name: &str, place: Place) -> Result<(), Box<dyn Error>> {
    gst::init()?;
    let uri = if name.contains("://") {
        name.into()
    } else {
        glib::filename_to_uri(std::path::absolute(name)?, None)?
    };
    let pipeline = gst::parse::launch(
        "uridecodebin name=decoder videoconvert name=converter ! \
         clframesum name=statistics ! fakesink name=sink",
    )?
    .downcast::<gst::Pipeline>()
    .map_err(|_| "not a pipeline")?;

    let decoder = pipeline.by_name("decoder").ok_or("no decoder")?;
    let converter = pipeline.by_name("converter").ok_or("no converter")?;
    let statistics = pipeline.by_name("statistics").ok_or("no statistics")?;
    decoder.set_property("uri", uri.as_str());
    decoder.connect_pad_added(move |_, pad| link_video(pad, &converter));
    statistics.set_property("post-messages", place == Place::Messages);
    statistics.set_property("stats-meta", place == Place::Meta);
    if place == Place::Meta {
        let sink = pipeline.by_name("sink").ok_or("no sink")?;
        let pad = sink.static_pad("sink").ok_or("no pad")?;
        pad.add_probe(gst::PadProbeType::BUFFER, |_, info| print_meta(info));
    }

    let result = play(&pipeline, place);
    pipeline.set_state(gst::State::Null)?;
    result
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (name, place) = match words[..] {
        ["--meta", name] => (name, Place::Meta),
        ["--stats", name] => (name, Place::Stats),
        [name] if !name.starts_with("--") => (name, Place::Messages),
        _ => {
            eprintln!("usage: framesum [--meta|--stats] FILE-OR-URI");
            return ExitCode::FAILURE;
        }
    };
    match run(name, place) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("framesum: {error}");
            ExitCode::FAILURE
        }
    }
}
