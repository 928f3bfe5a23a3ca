#!/usr/bin/env python3
"""mkdtb.py OUT.dtb: the device tree of an M1-like machine, from the one of qemu's "virt" machine.

What differs from qemu's: interrupts have a fourth cell that names a set of cores, the PMU is two
Apple PMUs (E cores 0-3, P cores 4-7) on one per-core interrupt, cores and machine have Apple's
names, three SMMUv3 counter groups are in reserved memory, and the devices that no test needs are gone.
"""
import os
import re
import subprocess
import sys
import tempfile

N_CPUS, N_E_CORES = 8, 4
QEMU = ["qemu-system-aarch64", "-cpu", "neoverse-n1", "-smp", str(N_CPUS), "-m", "1024",
        "-nographic", "-nic", "none"]
UNUSED = ("virtio_mmio@.*", "pcie@.*", "gpio-keys", "pl061@.*", "pmu", "fw-cfg@.*", "flash@0",
          "platform-bus@.*")
PMU_INTERRUPT = "0x01 0x05 0x01"  # PPI 5, edge
# SMMUv3 performance counter groups whose registers are memory that the kernel leaves alone
PMCG_BASE, PMCG_SIZE, N_PMCGS = 0x7fe00000, 0x10000, 3
PMCG_SPI = 100


def source_of_virt(folder):
    blob = os.path.join(folder, "virt.dtb")
    subprocess.run(QEMU + ["-M", f"virt,gic-version=3,dumpdtb={blob}"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", blob], check=True,
                          capture_output=True, text=True).stdout


def drop_unused(text):
    for name in UNUSED:
        text = re.sub(rf"^\t{name} \{{\n(?:\t\t.*\n|\n)*?\t\}};\n", "", text, flags=re.M)
    return text


def four_cells(match):
    cells = match[2].split()
    triples = [" ".join(cells[i:i + 3] + ["0x00"]) for i in range(0, len(cells), 3)]
    return match[1] + " ".join(triples) + ">;"


def with_four_interrupt_cells(text):
    text = re.sub(r"(\n\t+interrupts = <)([^>]*)>;", four_cells, text)
    return re.sub(r"(intc@8000000 \{(?:.*\n)*?\t\t#interrupt-cells = <)0x03>", r"\g<1>0x04>",
                  text, count=1)


def with_labels(text):
    text = re.sub(r"^\t\tcpu@(\d+) \{", r"\t\tCPU\1: cpu@\1 {", text, flags=re.M)
    return re.sub(r"^\tintc@8000000 \{", r"\tintc: intc@8000000 {", text, flags=re.M)


def with_apples_names(text):
    text = re.sub(r'^\tmodel = "linux,dummy-virt";', '\tmodel = "Apple MacBook Air (M1, 2020)";',
                  text, flags=re.M)
    return re.sub(r'^\tcompatible = "linux,dummy-virt";',
                  '\tcompatible = "apple,j313", "apple,t8103", "apple,arm-platform";',
                  text, flags=re.M)


def overlay(core, cpus, capacity):
    """Return the interrupt partition, the PMU and the cores of one type."""
    affinity = " ".join(f"&CPU{cpu}" for cpu in cpus)
    # "test-pmus" has no compatible: the kernel makes no devices below it at boot, when the
    # registers are not there yet. The emulation makes them.
    return f"""
&intc {{ ppi-partitions {{ part_{core}: interrupt-partition-{core} {{ affinity = <{affinity}>; }}; }}; }};
/ {{ test-pmus {{ pmu-{core} {{
	compatible = "apple,{core}-pmu";
	interrupt-parent = <&intc>;
	interrupts = <{PMU_INTERRUPT} &part_{core}>;
}}; }}; }};
""" + "".join(f'&CPU{cpu} {{ compatible = "apple,{core}"; capacity-dmips-mhz = <{capacity}>; }};\n'
              for cpu in cpus)


def pmcgs():
    """Return the counter groups and the memory that is reserved for them."""
    bases = [PMCG_BASE + i * PMCG_SIZE for i in range(N_PMCGS)]
    nodes = "".join(f"""
	pmcg@{base:x} {{
		compatible = "arm,smmu-v3-pmcg";
		reg = <0x0 {base:#x} 0x0 0x1000>;
		interrupt-parent = <&intc>;
		interrupts = <0x00 {PMCG_SPI + i} 0x04 0x00>;
	}};""" for i, base in enumerate(bases))
    return f"""
/ {{
	reserved-memory {{
		#address-cells = <2>; #size-cells = <2>; ranges;
		pmcg-registers@{PMCG_BASE:x} {{
			reg = <0x0 {PMCG_BASE:#x} 0x0 {N_PMCGS * PMCG_SIZE:#x}>;
			no-map;
		}};
	}};{nodes}
}};
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = source_of_virt(folder)
    for change in (drop_unused, with_four_interrupt_cells, with_labels, with_apples_names):
        text = change(text)
    text += overlay("icestorm", range(N_E_CORES), 714)
    text += overlay("firestorm", range(N_E_CORES, N_CPUS), 1024)
    text += pmcgs()
    subprocess.run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", sys.argv[1], "-"], check=True,
                   input=text, text=True)


if __name__ == "__main__":
    main()
