#!/usr/bin/env python3
"""What nvcc makes of the kernels with matrix instructions, for each generation: the instructions that must be
there, and a trap instead of a wrong result for a generation without them. Compiles to PTX; no GPU is needed.

Usage: tensor_code_test.py NVCC SOURCE_FOLDER
"""

import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NVCC, SOURCE = "nvcc", Path()
# One before each condition on __CUDA_ARCH__ in kernels/, and one at each.
ARCHITECTURES = (75, 80, 90)
TF32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
FP16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
BF16 = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
# File -> kernel -> what each of its instances has from 8.0 on.
KERNELS = {
    "kernels/convolution/tensor.cu": {"convolve_bands": (TF32, BF16, "cvt.rn.bf16x2.f32")},
    "kernels/mma/mma_sync.cu": {"add_products.*Fp16": (FP16,), "add_products.*Tf32": (TF32, "cvt.rna.tf32.f32")},
}
# File -> its architecture -> kernel -> what each of its instances has.
OF_ONE_ARCHITECTURE = {
    "kernels/gemm/wgmma.sm_90a.cu": ("90a", {
        "multiply_by_warpgroups.*half": ("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 ", "cp.async.bulk.tensor.2d"),
        "multiply_by_warpgroups.*bfloat16": ("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 ",
                                             "cp.async.bulk.tensor.2d")}),
}


def ptx_of(architecture, sources=tuple(KERNELS)):
    """The PTX of the sources for an architecture; the compiler's complaint if it does not know the architecture."""
    with tempfile.TemporaryDirectory() as folder:
        together, to = Path(folder) / "together.cu", Path(folder) / "code.ptx"
        together.write_text("".join(f'#include "{source}"\n' for source in sources))
        run = subprocess.run([NVCC, "-std=c++20", "-ptx", f"-arch=compute_{architecture}", "-I", SOURCE,
                              "-o", to, together], capture_output=True, text=True, check=False)
        return to.read_text() if run.returncode == 0 else run.stderr


def entries(ptx):
    """Kernel -> its code."""
    return {found[1]: found[2] for found in
            re.finditer(r"\.entry (\w+)\(.*?\)[^{;]*\{\n(.*?)\n\}\n", ptx, re.DOTALL)}


class TensorCode(unittest.TestCase):
    def test_there_is_an_architecture_for_each_condition(self):
        texts = [path.read_text(encoding="utf-8") for path in (SOURCE / "kernels").rglob("*") if path.is_file()]
        conditions = {found for text in texts for found in re.findall(r"__CUDA_ARCH__ *([<>=!]+ *\d+)", text)}
        self.assertEqual(conditions, {f">= {10 * architecture}" for architecture in ARCHITECTURES[1:]})

    def test_every_generation_has_its_instructions(self):
        with ThreadPoolExecutor(2) as pool:
            for architecture, ptx in zip(ARCHITECTURES, pool.map(ptx_of, ARCHITECTURES)):
                with self.subTest(architecture=architecture):
                    if "is not defined for option 'gpu-architecture'" in ptx or "Unsupported gpu arch" in ptx:
                        self.skipTest("this nvcc does not know it, or no longer")
                    for needs in KERNELS.values():
                        self.check(architecture, entries(ptx), needs)

    def test_a_file_of_one_architecture_has_its_instructions(self):
        for source, (architecture, needs) in OF_ONE_ARCHITECTURE.items():
            self.assertIn(f".sm_{architecture}.", source)
            kernels = entries(ptx_of(architecture, [source]))
            for name, needed in needs.items():
                instances = [code for kernel, code in kernels.items() if re.search(name, kernel)]
                self.assertEqual(len(instances), 1, name)
                for instruction in needed:
                    self.assertIn(instruction, instances[0])

    def check(self, architecture, kernels, needs):
        for name, needed in needs.items():
            instances = [code for kernel, code in kernels.items() if re.search(name, kernel)]
            self.assertTrue(instances, f"no kernel {name}")
            for code in instances:
                if architecture < 80:
                    self.assertIn("trap;", code)
                    self.assertNotIn("mma.sync", code)
                    continue
                self.assertNotIn("trap;", code)
                for instruction in needed:
                    self.assertIn(instruction, code)
                # From 9.0 on, rounding to TF32 is one instruction.
                if name == "convolve_bands":
                    self.assertEqual("cvt.rn.tf32.f32" in code, architecture >= 90)


if __name__ == "__main__":
    NVCC, SOURCE = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
