"""A process with one end of a stack in a library: run as a file, it loads nothing but the core.

Its arguments are the core's file and the library's. It serves the end over its standard input and
output until the process that has started it has none any more.
"""

import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader

if __name__ == "__main__":
    core, library = sys.argv[1:]
    loader = ExtensionFileLoader("_core", core)
    spec = spec_from_loader("_core", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    module.serve_stack(library)
