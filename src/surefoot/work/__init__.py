"""Jobs done with studies: data in, report out."""
