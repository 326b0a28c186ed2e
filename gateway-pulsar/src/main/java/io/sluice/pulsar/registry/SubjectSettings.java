package io.sluice.pulsar.registry;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A subject's record beside its schemas, or that of all subjects.
 *
 * @param level of compatibility; null where that of all subjects holds
 * @param mode null where that of all subjects holds
 * @param hidden versions that were deleted and may still be asked for
 * @param gone versions that were deleted for good
 */
record SubjectSettings(@Nullable String level, @Nullable String mode, Set<Integer> hidden, Set<Integer> gone) {
    static final SubjectSettings NONE = new SubjectSettings(null, null, Set.of(), Set.of());

    SubjectSettings {
        hidden = Set.copyOf(hidden);
        gone = Set.copyOf(gone);
    }

    SubjectSettings withLevel(@Nullable String other) {
        return new SubjectSettings(other, mode, hidden, gone);
    }

    SubjectSettings withMode(@Nullable String other) {
        return new SubjectSettings(level, other, hidden, gone);
    }

    SubjectSettings hiding(Set<Integer> versions) {
        Set<Integer> more = new TreeSet<>(hidden);
        more.addAll(versions);
        return new SubjectSettings(level, mode, more, gone);
    }

    SubjectSettings without(Set<Integer> versions) {
        Set<Integer> more = new TreeSet<>(gone);
        more.addAll(versions);
        Set<Integer> fewer = new TreeSet<>(hidden);
        fewer.removeAll(versions);
        return new SubjectSettings(level, mode, fewer, more);
    }

    /** A version that is registered again is there again. */
    SubjectSettings showing(int version) {
        Set<Integer> stillHidden = new TreeSet<>(hidden);
        Set<Integer> stillGone = new TreeSet<>(gone);
        stillHidden.remove(version);
        stillGone.remove(version);
        return new SubjectSettings(level, mode, stillHidden, stillGone);
    }

    boolean isDeleted(int version) {
        return hidden.contains(version) || gone.contains(version);
    }

    JsonObject json() {
        JsonObject json = new JsonObject();
        if (level != null) {
            json.put("level", level);
        }
        if (mode != null) {
            json.put("mode", mode);
        }
        return json.put("hidden", new JsonArray(new TreeSet<>(hidden).stream().toList()))
                .put("gone", new JsonArray(new TreeSet<>(gone).stream().toList()));
    }

    static SubjectSettings of(JsonObject json) {
        return new SubjectSettings(
                json.getString("level"), json.getString("mode"), versions(json, "hidden"), versions(json, "gone"));
    }

    private static Set<Integer> versions(JsonObject json, String field) {
        Set<Integer> versions = new TreeSet<>();
        json.getJsonArray(field, new JsonArray()).forEach(v -> versions.add(((Number) v).intValue()));
        return versions;
    }
}
