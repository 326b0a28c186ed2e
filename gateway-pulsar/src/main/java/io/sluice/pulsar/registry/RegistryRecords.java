package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * Records of the registry in the metadata, all JSON, each changed by compare-and-set, for several nodes write: settings of subjects, and the
 * ids of schemas. A schema has one id, whatever subjects have it: it is found by a hash of the schema, and never given out again. An id's record
 * is written before the hash that leads to it. Blocking.
 */
final class RegistryRecords {
    private static final String ROOT = "/sluice/registry";
    private static final String SUBJECTS = ROOT + "/subjects";
    private static final String IDS = ROOT + "/ids/";
    private static final String HASHES = ROOT + "/hashes/";
    private static final String NEXT = ROOT + "/next";
    private static final String ALL = ROOT + "/all";

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
    record Stored(String schema, JsonArray references, Set<String> subjects) {
        Stored {
            subjects = Set.copyOf(subjects);
        }

        JsonObject json() {
            return new JsonObject()
                    .put("schema", schema)
                    .put("references", references)
                    .put("subjects", new JsonArray(List.copyOf(new TreeSet<>(subjects))));
        }

        static Stored of(JsonObject json) {
            Set<String> subjects = new TreeSet<>();
            json.getJsonArray("subjects").forEach(each -> subjects.add(String.valueOf(each)));
            return new Stored(json.getString("schema"), json.getJsonArray("references"), subjects);
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

    /** Id of a schema, which gets one now if it has none. */
    int idOf(String schema, JsonArray references, String subject) throws IOException {
        String hash = HASHES + hash(schema + references.encode());
        JsonObject known = read(hash);
        if (known == null) {
            int id = next();
            change(IDS + id, before -> new Stored(schema, references, Set.of(subject)).json());
            change(hash, before -> before == null ? new JsonObject().put("id", id) : null);
            known = read(hash); // of two nodes one was first, and the other's id is nobody's
        }
        int id = known == null ? 0 : known.getInteger("id");
        change(IDS + id, before -> {
            Stored stored = before == null ? new Stored(schema, references, Set.of()) : Stored.of(before);
            if (stored.subjects().contains(subject)) {
                return null;
            }
            Set<String> more = new TreeSet<>(stored.subjects());
            more.add(subject);
            return new Stored(schema, references, more).json();
        });
        return id;
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
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
