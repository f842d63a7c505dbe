//! The series of a run: taken chunk by chunk while it goes on, into memory or into files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use windtunnel_engine::{Control, Stop};
use windtunnel_world::{Chunk, Plan, SeriesSink, World};

use crate::qlog::Qlogs;
use crate::tables::{Labels, empty, of_chunk, series_names};

/// Rows of a chunk: some 8 MB in memory.
pub(crate) const CHUNK: usize = 1 << 16;

/// The folder of runs that have not finished.
pub(crate) const UNFINISHED: &str = "unfinished";

/// The series of a run that goes on. Files are closed when it is dropped.
#[derive(Debug)]
pub(crate) struct Series(Arc<Mutex<Tables>>);

impl Series {
    /// Takes the series that a world keeps, of that plan: into files in `folder`, which is
    /// created, or without one into memory. A file that cannot be written cancels the run.
    pub(crate) fn record(
        world: &mut World,
        plan: &Arc<Plan>,
        labels: Labels,
        folder: Option<PathBuf>,
        control: &Arc<Control>,
        chunk: usize,
    ) -> io::Result<Self> {
        let output = |name, empty: RecordBatch| match &folder {
            None => Ok(Output::Memory(vec![empty])),
            Some(folder) => Output::create(folder, name, &empty),
        };
        let outputs = empty(plan).into_iter();
        let outputs = outputs.map(|it| Ok((it.name, output(it.name, labels.before(&it.values))?)));
        let outputs = outputs.collect::<io::Result<_>>()?;
        let plan = Arc::clone(plan);
        let tables = Tables { plan, labels, folder, outputs, qlogs: None, rows: 0, failure: None };
        let tables = Arc::new(Mutex::new(tables));
        let series = Self(tables);
        world.give_series(chunk, series.sink(control));
        Ok(series)
    }

    /// Has what happens to the packets of flows, by their places, recorded as well, and written
    /// into qlogs.
    pub(crate) fn log_packets(
        &self,
        world: &mut World,
        flows: &[usize],
        qlogs: Option<Qlogs>,
        control: &Arc<Control>,
    ) {
        lock(&self.0).qlogs = qlogs;
        world.log_packets(&self.plan(), flows, CHUNK, self.sink(control));
    }

    fn plan(&self) -> Arc<Plan> {
        Arc::clone(&lock(&self.0).plan)
    }

    /// What takes chunks; if one cannot be written, it cancels the run.
    fn sink(&self, control: &Arc<Control>) -> SeriesSink {
        let (tables, control) = (Arc::clone(&self.0), Arc::clone(control));
        Box::new(move |rows| {
            if !lock(&tables).take(rows) {
                control.cancel();
            }
        })
    }

    /// Closes the files; gives the tables that are in memory, by name: none of a run that was
    /// cancelled.
    ///
    /// # Errors
    /// If a file could not be written.
    pub(crate) fn finish(self, stop: Stop) -> io::Result<Vec<(&'static str, RecordBatch)>> {
        let mut tables = lock(&self.0);
        match tables.failure.take() {
            Some(error) => Err(error),
            None if stop == Stop::Cancelled => {
                tables.qlogs.take().into_iter().for_each(Qlogs::discard);
                Ok(Vec::new())
            }
            None => tables.close(),
        }
    }
}

impl Drop for Series {
    fn drop(&mut self) {
        let mut tables = lock(&self.0);
        let is_open = !tables.outputs.is_empty();
        // Of a run that did not finish, what was written is kept as far as it can be.
        let _ = tables.close();
        if let Some(folder) = tables.folder.as_ref().filter(|_| is_open && tables.rows == 0) {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Nobody else holds it: the world and its series are on one thread at a time.
fn lock(tables: &Mutex<Tables>) -> MutexGuard<'_, Tables> {
    tables.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tables of a run's series.
#[derive(Debug)]
struct Tables {
    plan: Arc<Plan>,
    labels: Labels,
    folder: Option<PathBuf>,
    /// By the tables' names; none once they are closed.
    outputs: Vec<(&'static str, Output)>,
    /// Where packets are written besides.
    qlogs: Option<Qlogs>,
    rows: usize,
    failure: Option<io::Error>,
}

impl Tables {
    /// Takes a chunk; whether that was possible.
    fn take(&mut self, chunk: Chunk<'_>) -> bool {
        if let (Chunk::Packets(rows), Some(qlogs)) = (&chunk, &mut self.qlogs)
            && let Err(error) = qlogs.write(rows)
        {
            self.failure.get_or_insert(error);
        }
        let table = of_chunk(&self.plan, chunk);
        self.rows += table.values.num_rows();
        let output = self.outputs.iter_mut().find(|it| it.0 == table.name);
        let (_, output) = output.expect("every kind of chunk has a table");
        let written = output.add(self.labels.before(&table.values));
        self.failure = self.failure.take().or(written.err());
        self.failure.is_none()
    }

    fn close(&mut self) -> io::Result<Vec<(&'static str, RecordBatch)>> {
        self.qlogs.take().map_or(Ok(()), Qlogs::finish)?;
        let closed = |(name, it): (_, Output)| it.close().map(|it| Some((name, it?)));
        let tables: Vec<_> = self.outputs.drain(..).map(closed).collect();
        let tables: io::Result<Vec<_>> = tables.into_iter().collect();
        Ok(tables?.into_iter().flatten().collect())
    }
}

/// Where the chunks of a kind go.
#[derive(Debug)]
enum Output {
    Memory(Vec<RecordBatch>),
    File(Box<ArrowWriter<File>>),
}

impl Output {
    fn create(folder: &Path, name: &str, empty: &RecordBatch) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        writer(&path(folder, name), empty).map(|it| Self::File(Box::new(it)))
    }

    /// Adds a chunk: in a file it becomes a row group.
    fn add(&mut self, chunk: RecordBatch) -> io::Result<()> {
        match self {
            Self::Memory(chunks) => chunks.push(chunk),
            Self::File(file) => file.write(&chunk).and_then(|()| file.flush()).map_err(cause)?,
        }
        Ok(())
    }

    fn close(self) -> io::Result<Option<RecordBatch>> {
        match self {
            Self::Memory(chunks) => {
                let all = concat_batches(&chunks[0].schema(), &chunks);
                Ok(Some(all.expect("all chunks have the same columns")))
            }
            Self::File(file) => file.close().map(|_| None).map_err(cause),
        }
    }
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.parquet"))
}

/// A file for tables with the columns of `empty`.
fn writer(path: &Path, empty: &RecordBatch) -> io::Result<ArrowWriter<File>> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_max_row_group_row_count(Some(CHUNK))
        .build();
    ArrowWriter::try_new(File::create(path)?, empty.schema(), Some(properties)).map_err(cause)
}

/// The files of a run's series.
#[derive(Debug)]
pub(crate) struct Written {
    /// Where they are.
    pub(crate) folder: PathBuf,
    /// Where they are those of an equal case: what stands in place of its labels.
    pub(crate) labels: Option<Labels>,
}

/// The files of some runs, one after the other, as files in `folder`; those of the runs are
/// removed with their folders. Of each, no more than a row group is in memory at a time.
///
/// # Errors
/// If a file cannot be read or written.
pub(crate) fn join(folder: &Path, runs: &[Written]) -> io::Result<()> {
    for name in series_names() {
        match runs {
            [] => {}
            [run] => fs::rename(path(&run.folder, name), path(folder, name))?,
            runs => copy(runs, name, &path(folder, name))?,
        }
    }
    let own = runs.iter().filter(|it| it.labels.is_none());
    // What cannot be removed does no harm.
    let _ = own.map(|it| &it.folder).try_for_each(fs::remove_dir_all);
    remove_empty(&folder.join(UNFINISHED));
    Ok(())
}

fn copy(runs: &[Written], name: &str, to: &Path) -> io::Result<()> {
    let mut output = None;
    for run in runs {
        let file = File::open(path(&run.folder, name))?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(cause)?;
        let reader = reader.with_batch_size(CHUNK);
        let empty = RecordBatch::new_empty(Arc::clone(reader.schema()));
        let output = match &mut output {
            Some(output) => output,
            none => none.insert(writer(to, &empty)?),
        };
        for table in reader.build().map_err(cause)? {
            let table = table.map_err(io::Error::other)?;
            let table = run.labels.as_ref().map_or_else(|| table.clone(), |it| it.in_place(&table));
            output.write(&table).map_err(cause)?;
        }
    }
    output.map_or(Ok(()), |it| it.close().map(|_| ()).map_err(cause))
}

/// Removes the folders in a folder that hold no file, and itself if it holds none.
fn remove_empty(folder: &Path) {
    let Ok(inside) = fs::read_dir(folder) else { return };
    inside.flatten().for_each(|it| remove_empty(&it.path()));
    // A folder that is not empty stays.
    let _ = fs::remove_dir(folder);
}

/// The operating system's own error, if it was one.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => {
            inner.downcast().map_or_else(io::Error::other, |it: Box<io::Error>| *it)
        }
        other => io::Error::other(other),
    }
}
