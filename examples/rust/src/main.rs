// SPDX-License-Identifier: LGPL-2.1-or-later
//! Prints the statistics of every frame of a file, like framesum.c.
//!
//! usage: framesum [--meta|--stats] FILE-OR-URI
//!
//! Reads what clframesum measures: from the messages on the bus; with --meta,
//! from the meta on the buffers as an element further down sees it; with
//! --stats, from the property, which holds the latest result whenever somebody
//! looks, here ten times a second. All hold one and the same structure.

mod statistics; // made by the build of the plugin: ../README.md

use gst::meta::CustomMeta;
use gst::prelude::*;
use gst::{glib, ClockTime, MessageType, MessageView, StructureRef};
use statistics::Frame;
use std::error::Error;
use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Messages,
    Meta,
    Stats,
}

/// One line a frame: its number and time, then each component.
fn line(frame: &Frame) -> Option<String> {
    let seconds = frame.timestamp?.nseconds() as f64 / 1e9;
    let mut line = format!("frame {} at {seconds:.3} s", frame.frame);
    for (i, name) in frame.components.iter().enumerate() {
        line += &format!(
            " | {name} sum {} mean {:.3} stddev {:.3} min {} max {}",
            frame.sum.as_ref()?[i],
            frame.mean.as_ref()?[i],
            frame.stddev.as_ref()?[i],
            frame.min.as_ref()?[i],
            frame.max.as_ref()?[i]
        );
    }
    Some(line)
}

fn print(structure: &StructureRef) {
    match Frame::try_from(structure) {
        Ok(frame) => {
            if let Some(line) = line(&frame) {
                println!("{line}");
            }
        }
        Err(error) => eprintln!("framesum: {error}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result of the first frame.
    fn play(line: &str) -> Result<Frame, Box<dyn Error>> {
        gst::init()?;
        let pipeline = gst::parse::launch(line)?;
        let bus = pipeline.bus().ok_or("no bus")?;
        pipeline.set_state(gst::State::Playing)?;
        let types = [MessageType::Error, MessageType::Element];
        let message = bus.timed_pop_filtered(None, &types);
        pipeline.set_state(gst::State::Null)?;
        let message = message.ok_or("no message")?;
        Ok(message.structure().ok_or("an error")?.try_into()?)
    }

    /// Returns the result of a frame with all flags of `statistics`.
    fn measure(histogram_format: &str) -> Result<Frame, Box<dyn Error>> {
        gst::init()?;
        let sum = gst::ElementFactory::make("clframesum").build()?;
        let property = sum.find_property("statistics").ok_or("none")?;
        let class = glib::FlagsClass::with_type(property.value_type());
        let flags = class.ok_or("no flags")?;
        let all: u32 = flags.values().iter().map(|flag| flag.value()).sum();
        play(&format!(
            "videotestsrc num-buffers=1 ! video/x-raw,format=I420,width=320,\
             height=240,interlace-mode=interleaved ! clframesum position-x=16 \
             width=288 height=240 grid-columns=2 grid-rows=2 fields=true \
             zone-events=true events=freeze+defocus histogram-bins=16 \
             histogram-format={histogram_format} statistics={all} ! fakesink"
        ))
    }

    /// Returns the names of the fields that a struct does not have.
    fn missing(fields: &dyn std::fmt::Debug) -> Vec<String> {
        let text = format!("{fields:#?}");
        let names = text.lines().filter_map(|line| {
            let name = line.strip_suffix(": None,")?.strip_prefix("    ")?;
            (!name.starts_with(' ')).then(|| name.into())
        });
        names.collect()
    }

    #[test]
    fn all_fields() -> Result<(), Box<dyn Error>> {
        let frame = measure("array")?;
        assert_eq!(missing(&frame), ["light_histogram_data", "histogram_data"]);
        assert_eq!(missing(&frame.zones), ["histogram_data"]);
        assert_eq!(missing(&frame.fields), ["histogram_data"]);
        assert_eq!(frame.regions.id, None);
        let waveform = &frame.waveform.ok_or("no waveform")?[0];
        assert_eq!(waveform.iter().sum::<u32>(), 288 * 240);

        let frame = measure("packed")?;
        assert_eq!(missing(&frame), ["light_histogram", "histogram"]);
        assert_eq!(missing(&frame.zones), ["histogram"]);
        assert_eq!(missing(&frame.fields), ["histogram"]);
        Ok(())
    }

    /// A black frame shows no border, and has no timestamp.
    #[test]
    fn unknown() -> Result<(), Box<dyn Error>> {
        let frame = play(
            "fakesrc num-buffers=1 format=time sizetype=fixed sizemax=12288 \
             filltype=zero ! video/x-raw,format=GRAY8,width=128,height=96,\
             framerate=25/1 ! clframesum statistics=active-area ! fakesink",
        )?;
        assert_eq!((frame.timestamp, frame.border_left), (None, None));
        assert!(frame.border_left_limit.is_some());
        Ok(())
    }

    #[test]
    fn other_structures() -> Result<(), Box<dyn Error>> {
        gst::init()?;
        let mut other = gst::Structure::new_empty("other");
        let error = Frame::try_from(&*other).err();
        assert_eq!(error, Some(statistics::Error::Missing("timestamp")));
        other.set("timestamp", 1i32);
        let error = Frame::try_from(&*other).err();
        assert_eq!(error, Some(statistics::Error::OtherType("timestamp")));
        Ok(())
    }
}
