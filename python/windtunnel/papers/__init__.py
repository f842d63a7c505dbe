"""Papers: folders of files that are run and compared with what was published."""
