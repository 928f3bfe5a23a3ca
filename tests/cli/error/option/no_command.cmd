# nothing behind -- is a slip, not a count without end
timeout 5 "$M1TOP" stat --demo --
