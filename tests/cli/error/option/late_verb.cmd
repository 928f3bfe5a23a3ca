m1top --events-dir 'my events' --demo list metrics ipc
