#!/usr/bin/awk -f
# Prints a time from a formula, with noise: 1 % of each process. See tune_command.yaml.
#
# Usage: awk -f tune_command.awk ROWS COLUMNS DEPTH VECTOR STAGES LAYOUT NOISE CHANCE
# The noise is scaled by NOISE, and CHANCE is a text that decides it.

function log2(x) { return log(x) / log(2) }

BEGIN {
  rows = ARGV[1]; columns = ARGV[2]; depth = ARGV[3]; vector = ARGV[4]; stages = ARGV[5]; layout = ARGV[6]
  work = rows * columns / 256                          # of a thread
  registers = 24 + 1.1 * work + 3 * vector
  spill = registers > 128 ? (registers - 128) / 50 : 0
  shared = 4 * depth * (rows + columns) * stages / 1024 # KiB of a block
  blocks = int(200 / shared); if (blocks > 8) blocks = 8; if (blocks < 1) blocks = 1
  hidden = 1 - exp(-0.45 * blocks * sqrt(stages))      # latency
  conflicts = layout == "plain" ? 0.30 : layout == "padded" && vector > 2 ? 0.12 : 0
  swizzling = layout == "swizzled" ? 0.04 + 0.02 * (depth < 16) : 0
  memory = 48 * (1 / rows + 1 / columns) / (0.7 + 0.15 * log2(vector))
  compute = 1 + 1.6 / work + 2.4 / depth + conflicts + swizzling
  larger = memory > compute ? memory : compute
  smaller = memory > compute ? compute : memory
  time = (larger + 0.3 * smaller) * (1 + spill) / hidden

  letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
  for (i = 1; i <= length(ARGV[8]); ++i) seed = (seed * 31 + index(letters, substr(ARGV[8], i, 1))) % 1000003
  srand(seed)
  for (i = 0; i < 12; ++i) normal += rand()            # about normal, with the variance 1
  printf "time %.6f ms\n", time * exp(0.01 * ARGV[7] * (normal - 6))
}
