# nothing behind -- is a slip, not a count without end
timeout 60 "$M1TOP" stat --demo --
