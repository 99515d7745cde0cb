"""What people see of a study: rows, tables, sentences, pictures. Nothing here decides."""
