/* machine.h: cores, core types, PMUs and their identity, read from Linux below a root that tests
 * can replace */
#ifndef PMU_MACHINE_H
#define PMU_MACHINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/cpus.h"
#include "base/err.h"
#include "pmu/catalog.h"

/* ---- performance monitoring unit, as the kernel describes it */

enum pmu_kind {
	PMU_CORE,       /* counts on the cores in `cpus` (sysfs file cpus, or the x86 PMU "cpu") */
	PMU_SOFTWARE,   /* the kernel's own software events */
	PMU_MSR,        /* x86 free-running registers (tsc, aperf, …), per CPU */
	PMU_TRACEPOINT, /* tracepoints of the kernel, listed on demand: tracefs.h */
	PMU_ACTIVITY,   /* frequency and utilisation per core; not a kernel PMU, see activity.h */
	PMU_UNCORE,     /* has a cpumask: counted once per package, cluster or device */
};

/* perf_event_attr config, config1, config2, config3; CONFIG_TYPE: 1 + attr.type if it is not the
 * PMU's, else 0 */
enum { CONFIG_TYPE = 4, CONFIG_WORDS };

/** Field of the event encoding: format/NAME. */
struct pmu_format {
	char name[32];
	uint8_t word;  /* index of the config word, below CONFIG_TYPE */
	uint64_t mask; /* bits that hold the value, lowest first */
};

/** Event named by the kernel: events/NAME. */
struct pmu_alias {
	char name[64];
	char terms[128]; /* "event=0x11,umask=0x1" */
	double scale;    /* .scale, default 1 */
	char unit[24];   /* .unit, default "" */
	bool per_pkg;    /* .per-pkg */
};

struct pmu {
	char name[64];
	char identifier[64]; /* device model, for Compat; "" unknown */
	uint32_t type;       /* perf_event_attr.type; dynamic, never hard-coded */
	enum pmu_kind kind;
	bool honours_privilege; /* supports user/kernel exclusion */
	struct cpus cpus;       /* CPUs to open events on: cores, or the cpumask of an uncore PMU */
	struct pmu_format *format;
	size_t n_formats;
	struct pmu_alias *alias;
	size_t n_aliases;
	struct err ignored; /* unusable files, with the reason; "" */
};

/** PMUs of a machine, ordered core, software, msr, tracepoint, activity, uncore, then by name. */
struct pmus {
	struct pmu *pmu;
	size_t n;
	char root[128];     /* root of their files, as sysfs_pmus */
	struct err ignored; /* unusable PMUs, with the reason; "" */
	/* read from a session: PMUs may be missing, except of the kinds with an identifier, if any
	 * PMU here has one */
	bool is_recorded;
};

/** Return "core", "software", "msr", "tracepoint", "activity" or "uncore". */
extern const char *const pmu_kind_name[];

/** List the names of one kind's PMUs: "uncore_imc_0, uncore_imc_1"; "" if there is none. @return buf */
const char *pmus_names(const struct pmus *pmus, enum pmu_kind kind, char *buf, size_t size);

/** Find a PMU by exact name. @return NULL if there is none */
const struct pmu *pmu_find(const struct pmus *pmus, const char *name);

/**
 * Whether event data's unit includes the PMU: uncore_imc_0 and uncore_imc_1a belong to
 * "uncore_imc", hisi_sccl1_ddrc0 to "hisi_sccl,ddrc".
 *
 * @unit    as catalog_event.pmu, not ""
 * @compat  an extended regular expression for the identifier; "" for every model
 */
bool pmu_is_of(const struct pmu *pmu, const char *unit, const char *compat);

/** Whether the PMU or its kind has this name: "uncore_imc_0", "uncore_imc", "imc". */
bool pmu_has_name(const struct pmu *pmu, const char *name);

/** Whether two PMUs are of one kind, such as uncore_imc_0 and uncore_imc_1, or the same. */
bool pmu_is_same_kind(const struct pmu *a, const struct pmu *b);

/** Return the length of a PMU's name without its instance number: 10 for "uncore_imc_0". */
size_t pmu_kind_length(const char *name);

/** Find an event named by the kernel. @return NULL if there is none */
const struct pmu_alias *pmu_alias_find(const struct pmu *pmu, const char *name);

/** Find a field of the encoding. @return NULL if there is none */
const struct pmu_format *pmu_format_find(const struct pmu *pmu, const char *name);

/** Whether an event is one of Intel's topdown-*, which divide what `slots` counts. They use no
 * counter and exist only in its group. */
bool pmu_divides_slots(const struct pmu *pmu, const uint64_t *config);

/** Whether the PMU can be opened on every CPU, including CPUs offline when `cpus` was read. */
bool pmu_is_everywhere(const struct pmu *pmu);

/** Whether an event uses one of the core's counters. */
bool pmu_takes_counter(const struct pmu *pmu, const uint64_t *config);

/**
 * Encode "event=0x11,umask=1,inv" as config words in the PMU's format. The terms config=, config1=,
 * config2= and config3= are always known; a term without a value is 1.
 *
 * @ret_config  CONFIG_WORDS words
 * @return      0; -EINVAL naming the term and the PMU's terms; -ERANGE if a value does not fit
 */
int pmu_encode(const struct pmu *pmu, const char *terms, uint64_t *ret_config, struct err *err);

/** Return the value of one field of config words. @config  CONFIG_WORDS words */
uint64_t pmu_field(const struct pmu_format *format, const uint64_t *config);

/**
 * Make the PMU of an Apple core, real or simulated, as its driver shows it: the field "event",
 * cycles and instructions.
 *
 * @ret     `{ 0 }` on entry; owns what was allocated, also after a failure
 * @return  0 or -ENOMEM
 */
int pmu_make_apple(struct pmu *ret, const char *name, uint32_t type, unsigned event_bits);

/** Free the PMUs and empty the list; NULL is accepted. */
void pmus_fini(struct pmus *pmus);

/* ---- cores, their types and clusters, PMUs and event catalogues */

enum {
	CORES_MAX = 1024,
	TYPES_MAX = 4, /* core types: E and P, or the big, middle and little cores of a phone */
	/* per core: hardware counters first, then events that need none */
	CORE_SLOTS_MAX = 16,
	SLOTS_MAX = 64,    /* per read: core slots, then more device events */
	COLUMNS_MAX = 512, /* per multiplexed set: the slots of all its mux groups */
};

/** Cores with the same core PMU and catalogue. Figures of two types are never mixed. */
struct core_type {
	char name[16];           /* "E", "P"; "cpu" if all cores are alike */
	const struct pmu *pmu;   /* core PMU; NULL if the machine has none */
	struct catalog *catalog; /* events and metrics, with the generic ones; never NULL */
	unsigned n_counters;     /* hardware counters, in the first slots; 0: unknown or none */
	unsigned n_fixed;        /* those with a fixed event each, if the kernel places events */
	unsigned width;          /* width of raw values, bits; 64 through perf */
	bool slot_is_counter;    /* slot N is physical counter N (sim, Apple registers) */
	bool first_fit; /* the driver takes the lowest free legal counter and never moves an event */
	uint16_t first;   /* core; set by machine_number */
	uint32_t max_mhz; /* highest clock of its cores, by cpufreq; 0: unknown */
};

/* Levels of the topology, from one core to all cores of a type. */
enum {
	LEVEL_CORE,
	LEVEL_PHYSICAL,
	LEVEL_CLUSTER,
	LEVEL_LLC,
	LEVEL_NODE,
	LEVEL_SOCKET,
	LEVEL_TYPE,
	N_LEVELS
};

struct core {
	unsigned cpu;     /* kernel's CPU number */
	unsigned type;    /* index into machine.type */
	unsigned cluster; /* index, 0 … n_clusters-1; clusters do not span types */
	/* the kernel's numbers of package and NUMA node; last-level cache: its id, or without one
	 * the first online CPU that shares it; UINT_MAX: unknown */
	unsigned package, node_id, llc_id;
	unsigned thread0; /* CPU of the first SMT sibling; its own without SMT */
	/* rows, 0 … n-1; a package, node or cache of two types has two. Set by machine_number
	 * from the fields above. */
	unsigned physical, llc, node, socket;
	/* by level: first core of the row with this core's index, and the next core of its own row;
	 * 0: none. Set by machine_number. */
	uint16_t first[N_LEVELS], next[N_LEVELS];
	uint64_t midr; /* MIDR_EL1; 0 if there is none */
};

/** Level of the topology. The cores of a row are those of one type with the same number. */
struct level {
	const char *name;     /* "llc", for --by and before the number of a row */
	const char *brief;    /* the same in a narrow column; NULL: rows have no number */
	const char *perf;     /* the same in perf's formats */
	const char *perf_key; /* name of the field in perf's formats */
	size_t row, number;   /* offsets in struct core */
	size_t n;             /* offset of the number of rows in struct machine */
	bool is_of_kernel;    /* the number is the kernel's, which types may share */
};

/** All levels. */
extern const struct level machine_level[N_LEVELS];

/** Machine; created by a backend and constant while that is open. */
struct machine {
	char model[96]; /* "Apple MacBook Air (M1, 2020)", or the processor name */
	char cpuid[64]; /* id of core 0: "0x00000000611f0230", "AuthenticAMD-25-1-1" */
	bool simulated;
	bool lacks_secure; /* known to have no Secure state: all streams are Non-secure */
	bool recorded;     /* read from a file: what else its PMUs count is unknown */
	struct core *core; /* in the order of their CPU numbers, unless recorded */
	unsigned n_cores;
	struct core_type type[TYPES_MAX];
	unsigned n_types;
	unsigned n_physical, n_clusters, n_llcs, n_nodes, n_sockets; /* 0: unknown */
	uint8_t same_level[N_LEVELS]; /* preferred level with identical rows; 0: none */
	struct pmus pmus;
	char cpu_notes[768];       /* CPUs left out or kept, with reasons, one per line; "" */
	struct activity *activity; /* one allocation, see activity.h; NULL: unknown */
	struct sensors *sensors;   /* likewise, see sensors.h; NULL: none */
};

/** Return the index of the core with this CPU number; -1 if there is none. @machine  not recorded */
int machine_core_of_cpu(const struct machine *machine, unsigned cpu);

/** Get the CPU numbers of the cores. */
struct cpus machine_cpus(const struct machine *machine);

/** Find the first core with the same key for each core. @n_cores  at most CORES_MAX */
void machine_first_alike(const uint64_t *key, unsigned n_cores, unsigned *ret_first);

/** Number the rows of all levels, once all cores are filled in. */
void machine_number(struct machine *machine);

/** Get the number that names the row of a core: the kernel's, or that of the cluster. @level  with
 * `brief` */
unsigned machine_level_number(const struct machine *machine, unsigned level, unsigned core);

/** Get the row of a core. @level  LEVEL_CORE … LEVEL_TYPE */
unsigned machine_level_row(const struct machine *machine, unsigned level, unsigned core);

/** Count the rows of a level. @return 0 if it is unknown which cores belong together */
unsigned machine_level_rows(const struct machine *machine, unsigned level);

/** Return the next core of a row. @after -1 to begin  @return -1 at the end */
int machine_row_next(const struct machine *machine, unsigned level, unsigned row, int after);

#define machine_row_each(machine, level, row, core) \
	for (int core = -1; (core = machine_row_next(machine, level, row, core)) >= 0;)

/** Whether any core has SMT siblings here. */
bool machine_has_smt(const struct machine *machine);

/** List the CPUs of a physical core: "3,35". @return buf */
const char *machine_threads(const struct machine *machine, unsigned physical, char *buf,
			    size_t size);

/** List the SMT siblings of a core: "35"; "" if it has none. @return buf */
const char *machine_siblings(const struct machine *machine, unsigned core, char *buf, size_t size);

/** Add "cpu LIST: WHAT" to the machine's notes, unless the list is empty. */
void machine_note_cpus(struct machine *machine, const struct cpus *cpus, const char *what);

/** Whether any core type has a hardware PMU. */
bool machine_has_core_pmu(const struct machine *machine);

/** Format "4 E + 4 P" or "8 cores". @return buf */
const char *machine_cores_text(const struct machine *machine, char *buf, size_t size);

/** Return the index of the first core of a type. @type  one that has cores */
unsigned machine_first_core(const struct machine *machine, unsigned type);

/** Get the id of a type's cores: the MIDR of the first one, else machine.cpuid. @return buf */
const char *machine_cpuid(const struct machine *machine, unsigned type, char *buf, size_t size);

/** Whether the cores are Apple's. */
bool machine_is_apple(const struct machine *machine);

/** Whether event files of a type's model are missing, though Linux may have some. */
bool machine_lacks_files(const struct machine *machine, unsigned type);

/** Return the architecture's name in Linux's event files: "arm64" or "x86". */
const char *machine_arch(const struct machine *machine);

/**
 * Load the catalogue of every type, by machine_cpuid.
 *
 * @events_dir  argument of --events-dir; NULL: search
 * @return      0, or an error of catalog_find_dir or catalog_load
 */
int machine_load_catalogs(struct machine *machine, const char *events_dir, struct err *err);

/**
 * Remove entries that do not apply to this machine: events and metrics whose Compat no PMU matches,
 * metrics of absent devices or of another core PMU than the type's (cpu_atom's for cpu_core), and
 * presets if there is no core PMU.
 *
 * @core_pmu  "" if the type has none
 * @pmus      of the machine
 * @return    0 or -ENOMEM; on failure nothing is changed
 */
int machine_narrow_catalog(struct catalog *catalog, const char *core_pmu, const struct pmus *pmus);

/** Keep only the cores in `keep`; renumber types and clusters. A note lists CPUs that do not exist.
 * Devices stay, read on a kept core of their socket. @return 0, or -ENODEV if no core is left */
int machine_restrict(struct machine *machine, const struct cpus *keep, struct err *err);

/** Keep only the cores that a text names: a CPU list, or as in machine_choose. @return as
 * machine_restrict; -ENODEV if a part of the text names no core */
int machine_keep(struct machine *machine, const char *text, struct err *err);

/**
 * Get the cores that a text names: CPU lists and words, separated by commas. Each word is the
 * beginning of a type, level or "cpu", with a whole number if any: "0-3,8", "P", "P cluster 3",
 * "node0", "llc1", "cpu12".
 *
 * @return false: a part of the text names no core
 */
bool machine_choose(const struct machine *machine, const char *text, struct cpus *ret);

/** Free everything the machine owns; NULL is accepted. */
void machine_fini(struct machine *machine);

/* ---- PMUs, cores and their identity, read below a root that tests can replace */

/**
 * Read <root>/sys/bus/event_source/devices. Breakpoint, kprobe and uprobe are left out.
 *
 * Unusable parts are left out and named in `ignored`: files of a PMU, or a whole PMU without a
 * type.
 *
 * @root   "" or "/" for the running machine
 * @return 0; -errno naming the file if there is nothing to read
 */
int sysfs_pmus(const char *root, struct pmus *ret, struct err *err);

/**
 * Fill in cores, types, clusters, model and cpuid of a machine whose `pmus` were read.
 *
 * Types follow the core PMUs' `cpus`; without a core PMU all cores are one type. Clusters come from
 * topology/cluster_id if it is valid, else from the package, and never span two types. Absent CPUs
 * are removed from the PMUs, with a note. An offline CPU shows no topology but its NUMA node: it is
 * put into the socket, cluster and cache of a neighbour, of its node if there is one, and has no SMT
 * sibling. Catalogues are not loaded here.
 *
 * @return 0; -ENOENT or -EINVAL naming the file
 */
int sysfs_machine(const char *root, struct machine *machine, struct err *err);

/** Read a file with a CPU list. @return 0, or -errno naming the file */
int sysfs_cpus(const char *root, const char *path, struct cpus *ret, struct err *err);

/** Read the list of online CPUs. @return 0, or -errno naming the file */
int sysfs_online(const char *root, struct cpus *ret, struct err *err);

/**
 * Read the CPUs isolated from other work by isolcpus, nohz_full or a cpuset partition of cgroup v2.
 *
 * Missing and unreadable lists count as empty.
 */
void sysfs_isolated(const char *root, struct cpus *ret);

/** Whether the CPU is online or its state is unknown. */
bool sysfs_is_online(const char *root, unsigned cpu);

/** Read one short file without its newline. @return length; -errno; -EFBIG if longer than buf */
int sysfs_read(const char *root, const char *path, char *buf, size_t size);

/** Read a process's name, on one line. @pid  digits  @return as sysfs_read */
int sysfs_process_name(const char *pid, char *buf, size_t size);

/** Whether a process has a file open. @pid  digits  @link  as /proc/PID/fd shows it: "socket:[123]" */
bool sysfs_process_has(const char *pid, const char *link);

/** Identity of a core; absent while it is offline. */
#define SYSFS_MIDR "regs/identification/midr_el1"

/** Read the number in /sys/devices/system/cpu/cpuN/NAME. @return 0, or -errno naming the file */
int sysfs_cpu_number(const char *root, unsigned cpu, const char *name, uint64_t *ret,
		     struct err *err);

/** Return an online CPU of this type; if none is online or known to be, its first. */
unsigned sysfs_cpu_of_type(const char *root, const struct machine *machine, unsigned type);

/** Whether the file exists. */
bool sysfs_exists(const char *root, const char *path);

/** List a folder's entries by name; hold them in an AUTO_ENTRIES. */
struct entries sysfs_list(const char *root, const char *path);

/** Whether a name matches any of n shell patterns. */
bool sysfs_name_fits(const char *name, const char *const *pattern, size_t n);

/* ---- behaviour of a core PMU's kernel driver, found by trying it */

struct driver_trait {
	const char *what;
	int code;          /* 0: the driver has the trait; else the errno of the refusal */
	const char *means; /* meaning of this result for m1top */
};

enum { DRIVER_TRAITS = 4 };

/**
 * Open an event for every trait of Linux's Apple driver, and close it again.
 *
 * @cpu  an online CPU of the PMU
 * @ret  all traits, in the order of the table
 */
void driver_traits(const struct pmu *pmu, unsigned cpu, struct driver_trait ret[DRIVER_TRAITS]);

/* ---- data that only /proc/cpuinfo has: the x86 identity, and MIDR on older arm64 */

/**
 * Fill in model and cpuid ("AuthenticAMD-26-2-1", as Linux perf writes it) from the first
 * processor, and the midr of every listed core. Absent fields stay unchanged.
 */
void sysfs_cpuinfo(const char *root, struct machine *machine);

/* ---- times of a thread (schedstat) */

struct thread_times {
	uint64_t run_ns, wait_ns; /* on CPUs; ready without one, added when a wait ends */
	uint64_t n_runs;
};

/** Read those since the thread's start. @return false: it has ended, or the kernel has none */
bool thread_times_read(uint32_t pid, uint32_t tid, struct thread_times *ret);

/* ---- mounts of this mount namespace */

/** A mount: folders of the file system below `prefix` are below `at`. */
struct mount {
	char at[PATH_MAX];
	char prefix[PATH_MAX]; /* "": all of it is mounted */
};

/** Find tracefs. @root  as sysfs_pmus @return 0 or -ENOENT */
int mount_of_tracefs(const char *root, struct mount *ret);

/** Find the cgroup hierarchy with a controller; one of version 1 comes before version 2. @return 0 or -ENOENT */
int mount_of_cgroups(const char *root, const char *controller, struct mount *ret);

/* ---- tracepoints of tracefs */

/**
 * Get the id of a tracepoint for perf_event_open.
 *
 * @root   as sysfs_pmus
 * @name   "sched:sched_switch"
 * @return 0; -ENOENT if there is no such tracepoint or tracefs is not mounted; -EACCES
 */
int tracefs_id(const char *root, const char *name, uint64_t *ret, struct err *err);

typedef void tracefs_fn(void *data, const char *name);

/** Call `each` for every tracepoint of a subsystem, by name; "": of all subsystems. @return 0;
 * errors as above */
int tracefs_each(const char *root, const char *subsystem, tracefs_fn *each, void *data,
		 struct err *err);

#endif
