package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.store.cluster.Metadata;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Records of the registry in the metadata, all JSON, each changed by compare-and-set, for several nodes write: settings of subjects, the
 * ids of schemas, and what refers to the versions of a subject. A schema has one id, whatever subjects have it: it is found by a hash of the schema, and never given out again. An id's record
 * is written before the hash that leads to it. Blocking.
 */
final class RegistryRecords {
    private static final String ROOT = "/sluice/registry";
    private static final String SUBJECTS = ROOT + "/subjects";
    private static final String IDS = ROOT + "/ids/";
    private static final String HASHES = ROOT + "/hashes/";
    private static final String NEXT = ROOT + "/next";
    private static final String ALL = ROOT + "/all";
    private static final String REFERRERS = ROOT + "/referrers/";

    private static final int MOST_REFERRERS = 10_000;

    private final Metadata metadata;

    RegistryRecords(Metadata metadata) {
        this.metadata = metadata;
    }

    /**
     * A schema by id.
     *
     * @param references as they were given
     * @param subjects that have it, or had
     */
    record Stored(String type, String schema, JsonArray references, Set<String> subjects) {
        Stored {
            subjects = Set.copyOf(subjects);
        }

        Stored with(String subject) {
            Set<String> more = new TreeSet<>(subjects);
            more.add(subject);
            return new Stored(type, schema, references, more);
        }

        boolean isSame(Stored other) {
            return type.equals(other.type) && schema.equals(other.schema) && references.equals(other.references);
        }

        JsonObject json() {
            JsonObject json = new JsonObject();
            if (!type.equals(SchemaTypes.STANDARD)) {
                json.put("type", type);
            }
            return json.put("schema", schema)
                    .put("references", references)
                    .put("subjects", new JsonArray(List.copyOf(new TreeSet<>(subjects))));
        }

        static Stored of(JsonObject json) {
            Set<String> subjects = new TreeSet<>();
            json.getJsonArray("subjects").forEach(each -> subjects.add(String.valueOf(each)));
            return new Stored(
                    json.getString("type", SchemaTypes.STANDARD),
                    json.getString("schema"),
                    json.getJsonArray("references"),
                    subjects);
        }
    }

    private @Nullable JsonObject read(String path) throws IOException {
        Metadata.Versioned there = metadata.get(path);
        return there == null ? null : new JsonObject(new String(there.value(), UTF_8));
    }

    private interface Change {
        @Nullable
        JsonObject of(@Nullable JsonObject before);
    }

    /** @param change null to leave it as it is; asked again if another node was first */
    private void change(String path, Change change) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned there = metadata.get(path);
            JsonObject after = change.of(there == null ? null : new JsonObject(new String(there.value(), UTF_8)));
            if (after == null) {
                return;
            }
            try {
                metadata.put(path, after.encode().getBytes(UTF_8), there == null ? Metadata.ABSENT : there.version());
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    // ---- settings

    private static String path(String subject) {
        return SUBJECTS + '/' + URLEncoder.encode(subject, UTF_8);
    }

    /** Names of subjects that have a record. */
    Set<String> subjects() throws IOException {
        Set<String> names = new TreeSet<>();
        metadata.children(SUBJECTS).forEach(name -> names.add(URLDecoder.decode(name, UTF_8)));
        return names;
    }

    /** Tells of changes of subjects' settings, each by the subject's name, until it is closed. */
    static Metadata.Watch watchSubjects(Metadata metadata, Metadata.Watcher watcher) {
        return metadata.watch(SUBJECTS, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                watcher.changed(URLDecoder.decode(path.substring(SUBJECTS.length() + 1), UTF_8));
            }

            @Override
            public void missed() {
                watcher.missed();
            }
        });
    }

    /** @param subject null for what holds for all */
    SubjectSettings settings(@Nullable String subject) throws IOException {
        JsonObject there = read(subject == null ? ALL : path(subject));
        return there == null ? SubjectSettings.NONE : SubjectSettings.of(there);
    }

    void changeSettings(@Nullable String subject, UnaryOperator<SubjectSettings> change) throws IOException {
        change(
                subject == null ? ALL : path(subject),
                before -> change.apply(before == null ? SubjectSettings.NONE : SubjectSettings.of(before))
                        .json());
    }

    // ---- ids

    @Nullable
    Stored find(int id) throws IOException {
        JsonObject there = read(IDS + id);
        return there == null ? null : Stored.of(there);
    }

    /**
     * Id of a schema, which gets one now if it has none.
     *
     * @param key text that is the same for schemas that mean the same
     */
    int idOf(String key, Stored schema, String subject) throws IOException {
        String hash = HASHES + hash(key + schema.references().encode());
        JsonObject known = read(hash);
        if (known == null) {
            int id = next();
            change(IDS + id, before -> schema.with(subject).json());
            change(hash, before -> before == null ? new JsonObject().put("id", id) : null);
            known = read(hash); // of two nodes one was first, and the other's id is nobody's
        }
        int id = known == null ? 0 : known.getInteger("id");
        change(IDS + id, before -> {
            Stored stored = before == null ? schema : Stored.of(before);
            return before != null && stored.subjects().contains(subject)
                    ? null
                    : stored.with(subject).json();
        });
        return id;
    }

    /** Id of a schema; 0 if it has none. */
    int findId(String key, JsonArray references) throws IOException {
        JsonObject known = read(HASHES + hash(key + references.encode()));
        return known == null ? 0 : known.getInteger("id");
    }

    /** Gives a schema an id of another registry's. Returns whether it is its own: false if another schema has it. */
    boolean claim(int id, String key, Stored schema, String subject) throws IOException {
        change(NEXT, before -> before != null && before.getInteger("id") >= id ? null : new JsonObject().put("id", id));
        boolean[] own = new boolean[1];
        change(IDS + id, before -> {
            Stored stored = before == null ? schema : Stored.of(before);
            own[0] = stored.isSame(schema);
            return own[0] ? stored.with(subject).json() : null;
        });
        if (own[0]) {
            change(
                    HASHES + hash(key + schema.references().encode()),
                    before -> before == null ? new JsonObject().put("id", id) : null);
        }
        return own[0];
    }

    /** The largest id that was given out; 0 if none was. */
    int maxId() throws IOException {
        JsonObject there = read(NEXT);
        return there == null ? 0 : there.getInteger("id");
    }

    // ---- references

    /** Adds a schema to those that refer to a version; it may be of no subject then, or later. */
    void addReferrer(String subject, int version, int id) throws IOException, RegistryException {
        boolean[] full = new boolean[1];
        change(REFERRERS + URLEncoder.encode(subject, UTF_8), before -> {
            JsonObject all = before == null ? new JsonObject() : before;
            JsonArray ids = all.getJsonArray(Integer.toString(version), new JsonArray());
            boolean there = ids.contains(id);
            full[0] = !there && ids.size() >= MOST_REFERRERS;
            return there || full[0] ? null : all.put(Integer.toString(version), ids.add(id));
        });
        if (full[0]) {
            throw new RegistryException(
                    RegistryException.BAD_SCHEMA,
                    "version " + version + " of subject '" + subject + "' has " + MOST_REFERRERS + " references to it");
        }
    }

    /** Ids of schemas that refer to a version, or did. */
    Set<Integer> referrers(String subject, int version) throws IOException {
        Set<Integer> ids = new TreeSet<>();
        JsonObject all = read(REFERRERS + URLEncoder.encode(subject, UTF_8));
        if (all != null) {
            all.getJsonArray(Integer.toString(version), new JsonArray())
                    .forEach(id -> ids.add(((Number) id).intValue()));
        }
        return ids;
    }

    private int next() throws IOException {
        int[] next = new int[1];
        change(NEXT, before -> {
            next[0] = before == null ? 1 : before.getInteger("id") + 1;
            return new JsonObject().put("id", next[0]);
        });
        return next[0];
    }

    private static String hash(String text) {
        return hash(text.getBytes(UTF_8));
    }

    static String hash(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
