/*
 * age: make the built-in sample pools with OpenZFS's own code (libzpool in user
 * land, no kernel module). It creates a pool on files that exist, fills it with
 * objects, frees some of them at random, takes snapshots, and builds a small
 * file system by hand from the DMU up, since only the kernel module makes those.
 *
 *   age POOL ASHIFT SEED PERCENT VDEV...      VDEV as in file:P or raidz1:P,P,P
 *
 * Contents are one line of text and zeros, so that images pack well; compression
 * is off, so that every block takes its full size on disk.
 */
#define	_GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>
#include <time.h>
#include <libnvpair.h>

typedef struct objset objset_t;
typedef struct spa spa_t;
typedef struct dmu_tx dmu_tx_t;
typedef struct dsl_pool dsl_pool_t;
typedef struct sa_handle sa_handle_t;
typedef struct {
	void *data, *locate;
	uint16_t len, id;
	void *addr;
	uint16_t buftype, size;
} sa_bulk_t;
typedef struct { const char *name; uint16_t length; int byteswap; uint16_t attr; } sa_reg_t;

extern char *spa_config_path;
extern void kernel_init(int), kernel_fini(void);
extern int spa_create(const char *, nvlist_t *, nvlist_t *, nvlist_t *, void *, nvlist_t **);
extern int spa_export(const char *, nvlist_t **, boolean_t, boolean_t);
extern int spa_open(const char *, spa_t **, const void *);
extern void spa_close(spa_t *, const void *);
extern dsl_pool_t *spa_get_dsl(spa_t *);
extern void txg_wait_synced(dsl_pool_t *, uint64_t);
extern int dsl_prop_set_int(const char *, const char *, int, uint64_t);
extern int dmu_objset_create(const char *, int, uint64_t, void *, void *, void *);
extern int dmu_objset_own(const char *, int, boolean_t, boolean_t, const void *, objset_t **);
extern void dmu_objset_disown(objset_t *, boolean_t, const void *);
extern int dmu_objset_snapshot_one(const char *, const char *);
extern dmu_tx_t *dmu_tx_create(objset_t *);
extern void dmu_tx_hold_write(dmu_tx_t *, uint64_t, uint64_t, int);
extern void dmu_tx_hold_free(dmu_tx_t *, uint64_t, uint64_t, uint64_t);
extern void dmu_tx_hold_bonus(dmu_tx_t *, uint64_t);
extern void dmu_tx_hold_zap(dmu_tx_t *, uint64_t, int, const char *);
extern void dmu_tx_mark_netfree(dmu_tx_t *);
extern int dmu_tx_assign(dmu_tx_t *, uint64_t);
extern void dmu_tx_abort(dmu_tx_t *), dmu_tx_commit(dmu_tx_t *);
extern uint64_t dmu_object_alloc(objset_t *, int, int, int, int, dmu_tx_t *);
extern int dmu_object_free(objset_t *, uint64_t, dmu_tx_t *);
extern int dmu_free_range(objset_t *, uint64_t, uint64_t, uint64_t, dmu_tx_t *);
extern void dmu_write(objset_t *, uint64_t, uint64_t, uint64_t, const void *, dmu_tx_t *);
extern uint64_t zap_create(objset_t *, int, int, int, dmu_tx_t *);
extern int zap_create_claim(objset_t *, uint64_t, int, int, int, dmu_tx_t *);
extern int zap_add(objset_t *, uint64_t, const char *, int, uint64_t, const void *, dmu_tx_t *);
extern int sa_setup(objset_t *, uint64_t, const sa_reg_t *, int, uint16_t **);
extern int sa_handle_get(objset_t *, uint64_t, void *, int, sa_handle_t **);
extern void sa_handle_destroy(sa_handle_t *);
extern int sa_replace_all_by_template(sa_handle_t *, sa_bulk_t *, int, dmu_tx_t *);

enum { OST_ZFS = 2, OST_OTHER = 4, T_SA = 44, T_PLAIN = 19, T_DIR = 20, T_MASTER = 21, T_QUEUE = 22,
    T_UINT64 = 26, T_SA_MASTER = 45, NOWAIT = 0, WAIT = 1, LOCAL = 8, COMPRESS_OFF = 2 };
#define	NEW	UINT64_MAX
#define	TAG	"age"
#define	CHECK(e, what) do { int err_ = (e); if (err_ != 0) { \
	fprintf(stderr, "%s: %s\n", what, strerror(err_)); exit(1); } } while (0)

static unsigned long state;
static unsigned
rnd(unsigned bound)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return ((unsigned)(state >> 33) % bound);
}

static nvlist_t *
top_vdev(char *word, uint64_t ashift)
{
	char *paths = strchr(word, ':');
	nvlist_t *kids[64], *top;
	uint_t n = 0;
	*paths++ = '\0';
	for (char *p = strtok(paths, ","); p != NULL; p = strtok(NULL, ",")) {
		nvlist_t *nv = kids[n++] = fnvlist_alloc();
		fnvlist_add_string(nv, "type", "file");
		fnvlist_add_string(nv, "path", p);
		fnvlist_add_uint64(nv, "ashift", ashift);
	}
	top = kids[0];
	if (strcmp(word, "file") != 0) {
		top = fnvlist_alloc();
		fnvlist_add_string(top, "type", word[0] == 'r' ? "raidz" : "mirror");
		if (word[0] == 'r')
			fnvlist_add_uint64(top, "nparity", strtoull(word + 5, NULL, 10));
		fnvlist_add_nvlist_array(top, "children", (const nvlist_t **)kids, n);
	}
	fnvlist_add_uint64(top, "is_log", 0);
	return (top);
}

static const char *features[] = { "async_destroy", "empty_bpobj", "lz4_compress",
	"spacemap_histogram", "enabled_txg", "hole_birth", "extensible_dataset",
	"embedded_data", "bookmarks", "large_blocks", "large_dnode", "spacemap_v2",
	"allocation_classes", "log_spacemap", "zstd_compress", "head_errlog", NULL };

static void
sync_pool(const char *pool)
{
	spa_t *spa;
	CHECK(spa_open(pool, &spa, TAG), "spa_open");
	txg_wait_synced(spa_get_dsl(spa), 0);
	spa_close(spa, TAG);
}

static char line[1 << 20] = "This block was written by OpenZFS for Tidepool's samples.\n";

/* One object of some blocks; 0 when the pool is full */
static uint64_t
fill_one(objset_t *os)
{
	static const int sizes[] = { 4, 4, 8, 8, 8, 16, 32, 64 };
	int block = sizes[rnd(8)] << 10, blocks = 1 + rnd(48);
	dmu_tx_t *tx = dmu_tx_create(os);
	dmu_tx_hold_write(tx, NEW, 0, block * blocks);
	if (dmu_tx_assign(tx, WAIT) != 0) {
		dmu_tx_abort(tx);
		return (0);
	}
	uint64_t object = dmu_object_alloc(os, T_UINT64, block, 0, 0, tx);
	for (int i = 0; i < blocks; i++)
		dmu_write(os, object, (uint64_t)i * block, block, line, tx);
	dmu_tx_commit(tx);
	return (object);
}

static void
free_one(objset_t *os, uint64_t object)
{
	dmu_tx_t *tx = dmu_tx_create(os);
	dmu_tx_hold_free(tx, object, 0, UINT64_MAX);
	dmu_tx_mark_netfree(tx);
	CHECK(dmu_tx_assign(tx, WAIT), "assign free");
	CHECK(dmu_object_free(os, object, tx), "free");
	dmu_tx_commit(tx);
}

/* Holes in an object: single blocks go, their neighbours stay */
static void
punch(objset_t *os, uint64_t object)
{
	dmu_tx_t *tx = dmu_tx_create(os);
	dmu_tx_hold_free(tx, object, 0, 1 << 20);
	dmu_tx_mark_netfree(tx);
	CHECK(dmu_tx_assign(tx, WAIT), "assign punch");
	for (uint64_t at = rnd(3); at < 128; at += 2 + rnd(3))
		CHECK(dmu_free_range(os, object, at << 13, 1 << 13, tx), "punch");
	dmu_tx_commit(tx);
}

/* One object of many small blocks, of which every other one goes: a deep range tree */
static void
comb(objset_t *os, const char *pool)
{
	const int blocks = 3200, half = blocks / 2;
	uint64_t object = 0;
	for (int part = 0; part < 2; part++) {
		dmu_tx_t *tx = dmu_tx_create(os);
		dmu_tx_hold_write(tx, part == 0 ? NEW : object, (uint64_t)part * half << 12, half << 12);
		CHECK(dmu_tx_assign(tx, WAIT), "assign comb");
		if (part == 0)
			object = dmu_object_alloc(os, T_UINT64, 4096, 0, 0, tx);
		for (int i = part * half; i < (part + 1) * half; i++)
			dmu_write(os, object, (uint64_t)i << 12, 4096, line, tx);
		dmu_tx_commit(tx);
	}
	sync_pool(pool);
	dmu_tx_t *tx = dmu_tx_create(os);
	dmu_tx_hold_free(tx, object, 0, (uint64_t)blocks << 12);
	CHECK(dmu_tx_assign(tx, WAIT), "assign comb holes");
	for (int i = 0; i < blocks; i += 2)
		CHECK(dmu_free_range(os, object, (uint64_t)i << 12, 4096, tx), "comb");
	dmu_tx_commit(tx);
	sync_pool(pool);
}

/* Rounds of filling and freeing: space ages as it does on a busy server */
static void
age(const char *pool, int objects)
{
	char name[64];
	objset_t *os;
	uint64_t *live = calloc(objects, sizeof (*live));
	int n = 0;
	snprintf(name, sizeof (name), "%s/data", pool);
	CHECK(dmu_objset_create(name, OST_OTHER, 0, NULL, NULL, NULL), "create data");
	CHECK(dmu_objset_own(name, OST_OTHER, B_FALSE, B_FALSE, TAG, &os), "own data");
	comb(os, pool);
	for (int round = 0; round < 6; round++) {
		while (n < objects) {
			uint64_t o = fill_one(os);
			if (o == 0)
				break;
			live[n++] = o;
		}
		sync_pool(pool);
		if (round == 2) {
			dmu_objset_disown(os, B_FALSE, TAG);
			CHECK(dmu_objset_snapshot_one(name, "halfway"), "snapshot");
			CHECK(dmu_objset_own(name, OST_OTHER, B_FALSE, B_FALSE, TAG, &os), "own");
		}
		for (int i = rnd(3); i < n; i += 1 + rnd(3))
			punch(os, live[i]);
		int keep = n * (round == 5 ? 90 : 60) / 100;
		while (n > keep) {
			int i = rnd(n);
			free_one(os, live[i]);
			live[i] = live[--n];
		}
		sync_pool(pool);
	}
	dmu_objset_disown(os, B_FALSE, TAG);
}

/* Attributes of a file, in the order of the layout */
enum { A_MODE, A_SIZE, A_GEN, A_UID, A_GID, A_PARENT, A_FLAGS, A_ATIME, A_MTIME, A_CTIME,
    A_CRTIME, A_LINKS, A_COUNT };
static const sa_reg_t attrs[] = { { "ZPL_ATIME", 16, 0, 0 }, { "ZPL_MTIME", 16, 0, 1 },
	{ "ZPL_CTIME", 16, 0, 2 }, { "ZPL_CRTIME", 16, 0, 3 }, { "ZPL_GEN", 8, 0, 4 },
	{ "ZPL_MODE", 8, 0, 5 }, { "ZPL_SIZE", 8, 0, 6 }, { "ZPL_PARENT", 8, 0, 7 },
	{ "ZPL_LINKS", 8, 0, 8 }, { "ZPL_XATTR", 8, 0, 9 }, { "ZPL_RDEV", 8, 0, 10 },
	{ "ZPL_FLAGS", 8, 0, 11 }, { "ZPL_UID", 8, 0, 12 }, { "ZPL_GID", 8, 0, 13 },
	{ "ZPL_PAD", 32, 0, 14 }, { "ZPL_ZNODE_ACL", 88, 3, 15 }, { "ZPL_DACL_COUNT", 8, 0, 0 },
	{ "ZPL_SYMLINK", 0, 1, 0 }, { "ZPL_SCANSTAMP", 32, 1, 0 }, { "ZPL_DACL_ACES", 0, 3, 0 },
	{ "ZPL_DXATTR", 0, 1, 0 }, { "ZPL_PROJID", 8, 0, 0 } };
static const int where[A_COUNT] = { 5, 6, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8 };
static uint16_t *table;

static void
set_attributes(objset_t *os, uint64_t object, uint64_t parent, uint64_t mode, uint64_t size,
    uint64_t links, dmu_tx_t *tx)
{
	uint64_t when[2] = { 1767225600, 0 };	/* fixed, so that runs agree */
	uint64_t value[A_COUNT] = { mode, size, 4, 1000, 1000, parent, 0x40800000000ull };
	sa_bulk_t bulk[A_COUNT + 1];
	sa_handle_t *h;
	memset(bulk, 0, sizeof (bulk));
	value[A_LINKS] = links;
	for (int i = 0; i < A_COUNT; i++) {
		int time = i >= A_ATIME && i <= A_CRTIME;
		bulk[i].id = table[where[i]];
		bulk[i].len = time ? 16 : 8;
		bulk[i].data = time ? (void *)when : (void *)&value[i];
	}
	CHECK(sa_handle_get(os, object, NULL, 1, &h), "sa_handle_get");
	CHECK(sa_replace_all_by_template(h, bulk, A_COUNT, tx), "sa_replace");
	sa_handle_destroy(h);
}

struct node { const char *name, *parent, *text; uint64_t id; };
static struct node tree[] = {
	{ "/", NULL, NULL, 0 },
	{ "README.txt", "/", "These files lie in a pool that OpenZFS's own code wrote for Tidepool.\n"
	    "Browse them, save them, look at their blocks; nothing leaves this page.\n", 0 },
	{ "poems", "/", NULL, 0 },
	{ "tide.txt", "poems", "The tide goes out; the pool remains,\nand in it, small, the sea.\n", 0 },
	{ "data", "/", NULL, 0 },
	{ "zeros.bin", "data", "\1", 0 },
	{ "table.csv", "data", "disk,sector,metaslabs\na,4096,16\nb,4096,16\nc,4096,16\n", 0 },
};
#define	NODES (sizeof (tree) / sizeof (tree[0]))

static uint64_t
add_node(objset_t *os, struct node *node, dmu_tx_t *tx)
{
	uint64_t parent = 0;
	for (unsigned i = 0; i < NODES; i++)
		if (node->parent != NULL && strcmp(tree[i].name, node->parent) == 0)
			parent = tree[i].id;
	if (node->text == NULL) {
		uint64_t entries = 0, kids = 0;
		node->id = zap_create(os, T_DIR, T_SA, 320, tx);
		for (unsigned i = 0; i < NODES; i++)
			if (tree[i].parent != NULL && strcmp(tree[i].parent, node->name) == 0) {
				entries++;
				kids += tree[i].text == NULL;
			}
		set_attributes(os, node->id, parent ? parent : node->id, 040755, entries + 2,
		    kids + 2, tx);
	} else {
		uint64_t size = node->text[0] == 1 ? 1 << 20 : strlen(node->text);
		node->id = dmu_object_alloc(os, T_PLAIN, size > 512 ? 128 << 10 : 512, T_SA, 320, tx);
		dmu_write(os, node->id, 0, size, node->text[0] == 1 ? line : node->text, tx);
		set_attributes(os, node->id, parent, 0100644, size, 1, tx);
	}
	if (parent != 0) {
		uint64_t entry = node->id | (node->text == NULL ? 4ull : 8ull) << 60;
		CHECK(zap_add(os, parent, node->name, 8, 1, &entry, tx), "zap_add");
	}
	return (node->id);
}

static void
file_system(const char *pool)
{
	char name[64];
	objset_t *os;
	uint64_t sa, root, queue, version = 5, zero = 0;
	snprintf(name, sizeof (name), "%s/files", pool);
	CHECK(dmu_objset_create(name, OST_ZFS, 0, NULL, NULL, NULL), "create files");
	CHECK(dmu_objset_own(name, OST_ZFS, B_FALSE, B_FALSE, TAG, &os), "own files");
	dmu_tx_t *tx = dmu_tx_create(os);
	dmu_tx_hold_zap(tx, NEW, 1, NULL);
	CHECK(dmu_tx_assign(tx, WAIT), "assign master");
	CHECK(zap_create_claim(os, 1, T_MASTER, 0, 0, tx), "claim master");
	sa = zap_create(os, T_SA_MASTER, 0, 0, tx);
	queue = zap_create(os, T_QUEUE, 0, 0, tx);
	CHECK(zap_add(os, 1, "SA_ATTRS", 8, 1, &sa, tx), "SA_ATTRS");
	CHECK(zap_add(os, 1, "VERSION", 8, 1, &version, tx), "VERSION");
	CHECK(zap_add(os, 1, "DELETE_QUEUE", 8, 1, &queue, tx), "DELETE_QUEUE");
	CHECK(zap_add(os, 1, "utf8only", 8, 1, &zero, tx), "utf8only");
	CHECK(zap_add(os, 1, "normalization", 8, 1, &zero, tx), "normalization");
	CHECK(zap_add(os, 1, "casesensitivity", 8, 1, &zero, tx), "casesensitivity");
	dmu_tx_commit(tx);
	CHECK(sa_setup(os, sa, attrs, sizeof (attrs) / sizeof (attrs[0]), &table), "sa_setup");
	tx = dmu_tx_create(os);
	dmu_tx_hold_write(tx, NEW, 0, 4 << 20);
	dmu_tx_hold_zap(tx, 1, 1, NULL);
	dmu_tx_hold_zap(tx, sa, 1, NULL);
	for (int i = 0; i < 16; i++)
		dmu_tx_hold_zap(tx, NEW, 1, NULL);
	CHECK(dmu_tx_assign(tx, WAIT), "assign tree");
	for (unsigned i = 0; i < NODES; i++)
		root = i == 0 ? add_node(os, &tree[0], tx) : (add_node(os, &tree[i], tx), root);
	CHECK(zap_add(os, 1, "ROOT", 8, 1, &root, tx), "ROOT");
	dmu_tx_commit(tx);
	dmu_objset_disown(os, B_FALSE, TAG);
	CHECK(dmu_objset_snapshot_one(name, "first"), "snapshot files");
}

int
main(int argc, char **argv)
{
	static char cache[] = "/tmp/age-cache-XXXXXX";
	if (argc < 6)
		return (2);
	close(mkstemp(cache));
	unlink(cache);
	spa_config_path = cache;
	state = strtoul(argv[3], NULL, 10);
	kernel_init(3);
	nvlist_t *props = fnvlist_alloc(), *root = fnvlist_alloc(), *tops[32];
	for (int i = 0; features[i] != NULL; i++) {
		char name[64];
		snprintf(name, sizeof (name), "feature@%s", features[i]);
		fnvlist_add_uint64(props, name, 0);
	}
	uint_t n = 0;
	for (int i = 5; i < argc; i++)
		tops[n++] = top_vdev(argv[i], strtoull(argv[2], NULL, 10));
	fnvlist_add_string(root, "type", "root");
	fnvlist_add_nvlist_array(root, "children", (const nvlist_t **)tops, n);
	CHECK(spa_create(argv[1], root, props, NULL, NULL, NULL), "spa_create");
	CHECK(dsl_prop_set_int(argv[1], "compression", LOCAL, COMPRESS_OFF), "compression");
	file_system(argv[1]);
	age(argv[1], atoi(argv[4]));
	CHECK(spa_export(argv[1], NULL, B_FALSE, B_FALSE), "spa_export");
	unlink(cache);
	kernel_fini();
	return (0);
}
