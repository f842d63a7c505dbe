"""Studies on a cluster, through Dask: the same batches, on other machines."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from distributed import Client, LocalCluster

from windtunnel.studies.errors import StudyError

LOCAL = "local"
"""The address for a temporary cluster on this machine."""

PATIENCE_S = 10
"""The timeout of a scheduler's answer, in seconds."""


@contextmanager
def executor(address: str, jobs: int | None) -> Iterator[tuple[Executor, int]]:
    """Give the executor of a cluster, and how many batches it runs at a time.

    A batch whose worker dies is repeated on another one. Raises StudyError if no scheduler
    answers at the address, or it has no workers.
    """
    if address == LOCAL:
        # Processes, as on a cluster; one run each.
        with (
            LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address=None, silence_logs=50
            ) as made,
            Client(made) as client,
        ):
            yield client.get_executor(pure=False), width(client, address)
        return
    try:
        client = Client(address, timeout=PATIENCE_S)
    except (OSError, ValueError, TimeoutError) as error:
        raise StudyError(
            f"--dask {address}: no scheduler answers: {error}\n"
            "help: give an address such as tcp://10.0.0.1:8786, or `local`"
        ) from error
    with client:
        yield client.get_executor(pure=False), width(client, address)


def width(client: Client, address: str) -> int:
    """Count the threads of a cluster's workers. Raises StudyError if there are none."""
    threads: int = sum(client.nthreads().values())
    if not threads:
        raise StudyError(f"--dask {address}: the scheduler has no workers")
    return threads
