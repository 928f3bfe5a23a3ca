m1top list presets --demo over -j
