//! Stream modes and what a reader asks for (events sheet §4).

/// A mode an event can reach. `values` is not one: it sends snapshots, not events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Transitions.
    Updates,
    /// Model output as it arrives.
    Messages,
    /// Everything on the log.
    Debug,
}

impl Mode {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Updates => "updates",
            Self::Messages => "messages",
            Self::Debug => "debug",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Updates, Self::Messages, Self::Debug].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// A set of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModeSet(u8);

impl ModeSet {
    /// No mode.
    pub const EMPTY: Self = Self(0);
    /// `debug` alone.
    pub const DEBUG_ONLY: Self = Self::EMPTY.with(Mode::Debug);
    /// `updates` and `debug`.
    pub const UPDATES_AND_DEBUG: Self = Self::DEBUG_ONLY.with(Mode::Updates);
    /// `messages` and `debug`.
    pub const MESSAGES_AND_DEBUG: Self = Self::DEBUG_ONLY.with(Mode::Messages);

    /// This set and `mode`.
    #[must_use]
    pub const fn with(self, mode: Mode) -> Self {
        Self(self.0 | (1 << mode as u8))
    }

    /// Whether `mode` is in the set.
    pub const fn contains(self, mode: Mode) -> bool {
        self.0 & (1 << mode as u8) != 0
    }

    /// Whether the sets share a mode: an event of `self` reaches a reader of `other`.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a `streamMode` parameter asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StreamSelection {
    /// A snapshot after every transition.
    Values,
    /// The events of these modes.
    Events(ModeSet),
}

impl StreamSelection {
    /// The words a parameter may be made of, for `unsupported_stream_mode.details.supported`.
    pub const WORDS: [&'static str; 4] = ["values", "updates", "messages", "debug"];

    /// Reads `values`, or a comma-separated list of the other three.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "values" {
            return Some(Self::Values);
        }
        let mut modes = ModeSet::EMPTY;
        for word in text.split(',') {
            modes = modes.with(Mode::parse(word)?);
        }
        Some(Self::Events(modes))
    }
}
