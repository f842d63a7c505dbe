//! Files that arrive by a Poisson process.

use schemars::JsonSchema;
use serde::Deserialize;
use windtunnel_applications::{Sizes, Workload};
use windtunnel_transports::tcp::TcpSettings;
use windtunnel_world::headers;

use super::SizesOfFiles;
use crate::reading::error::Mistake;
use crate::reading::files::Files;
use crate::reading::located::Located;
use crate::reading::units::{Load, Measured, PerSecond};
use crate::traffic::flows::paths::Paths;

/// Files that arrive by a Poisson process, each over a connection of its own. `load` or
/// `rate` is required.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arrivals {
    /// How large the files are: a size for all; `web-search` or `data-mining` for those
    /// distributions; or points of a distribution function, each a size and the
    /// probability of no more, such as
    /// `[["1 kB", "0 %"], ["10 kB", "60 %"], ["1 MB", "100 %"]]`, with straight lines between
    /// them: between two points of one probability no size lies, and two points of one size
    /// are as many files of exactly that size. Or such points in a file:
    /// `{ file = "sizes.txt" }`.
    sizes: Located<SizesOfFiles>,
    /// The share of the rate of the narrowest link on the path that their segments with
    /// data fill on average, headers included; this or `rate`. With a radio or a trace
    /// of rates that is the greatest rate, with a trace of opportunities the mean one. Above 100 %,
    /// to 1000 %, ever more files are under way at a time.
    load: Option<Located<Measured<Load>>>,
    /// How many arrive on average; this or `load`.
    rate: Option<Located<Measured<PerSecond>>>,
}

impl Arrivals {
    pub(super) fn plan(
        &self,
        paths: &Paths<'_>,
        ends: [usize; 2],
        settings: &TcpSettings,
        files: &mut Files<'_>,
    ) -> Result<Workload, Mistake> {
        let sizes = self.sizes.plan("sizes", files)?;
        let rate = match (&self.rate, &self.load) {
            (Some(rate), None) => Located { value: rate.value.0.0, span: rate.span.clone() },
            (None, Some(load)) => {
                let full = arrivals_at_full_load(paths, ends, settings, &sizes);
                Located { value: load.value.0.0 * full, span: load.span.clone() }
            }
            (None, None) => {
                return Err(self
                    .sizes
                    .mistake("arrivals require `load` or `rate`")
                    .help("write load = \"80 %\" or rate = \"100 per second\""));
            }
            (Some(_), Some(load)) => {
                let message = "`rate` and `load` cannot both be set";
                return Err(load.mistake(message).help("write one of them"));
            }
        };
        let zero = || "`rate` or `load` must be greater than zero".to_owned();
        rate.checked(|it| *it > 0.0, zero, "write a greater `load` or `rate`")?;
        Ok(Workload::Arrivals { per_second: rate.value, sizes })
    }
}

/// How many files a second would fill the narrowest link on the path with their
/// segments, headers included.
fn arrivals_at_full_load(
    paths: &Paths<'_>,
    ends: [usize; 2],
    settings: &TcpSettings,
    sizes: &Sizes,
) -> f64 {
    let path = paths.links(ends);
    let files = path.iter().map(|it| {
        let direction = &paths.link(it.link()).directions[it.direction()];
        let in_each = f64::from(headers(settings) + direction.overhead);
        let bytes = sizes.mean() + sizes.mean_segments(settings.maximum_segment) * in_each;
        direction.rate.bits_per_second() as f64 / (8.0 * bytes)
    });
    files.reduce(f64::min).unwrap_or(1.0)
}
