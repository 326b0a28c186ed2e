package io.sluice.pulsar.registry;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A subject's record beside its schemas, or that of all subjects.
 *
 * @param level of compatibility; null where that of all subjects holds
 * @param mode null where that of all subjects holds
 * @param hidden versions that were deleted and may still be asked for
 * @param gone versions that were deleted for good
 * @param ids by the hash of the schema as the topic has it, of schemas that were registered here; a topic that is deleted and made again may
 *     give its versions to others, so that a version says less
 */
record SubjectSettings(
        @Nullable String level,
        @Nullable String mode,
        Set<Integer> hidden,
        Set<Integer> gone,
        Map<String, Integer> ids) {
    /** More than a subject has versions: another node may have added one that was not there when the hashes were read. */
    private static final int FORGETS_AT = 1_500;

    static final SubjectSettings NONE = new SubjectSettings(null, null, Set.of(), Set.of(), Map.of());

    SubjectSettings {
        hidden = Set.copyOf(hidden);
        gone = Set.copyOf(gone);
        ids = Map.copyOf(ids);
    }

    SubjectSettings withLevel(@Nullable String other) {
        return new SubjectSettings(other, mode, hidden, gone, ids);
    }

    SubjectSettings withMode(@Nullable String other) {
        return new SubjectSettings(level, other, hidden, gone, ids);
    }

    SubjectSettings hiding(Set<Integer> versions) {
        Set<Integer> more = new TreeSet<>(hidden);
        more.addAll(versions);
        return new SubjectSettings(level, mode, more, gone, ids);
    }

    SubjectSettings without(Set<Integer> versions) {
        Set<Integer> more = new TreeSet<>(gone);
        more.addAll(versions);
        Set<Integer> fewer = new TreeSet<>(hidden);
        fewer.removeAll(versions);
        return new SubjectSettings(level, mode, fewer, more, ids);
    }

    /**
     * A version that is registered again is there again. A schema keeps the id that it has.
     *
     * @param there hashes of the subject's schemas: ids of others are forgotten
     */
    SubjectSettings registered(int version, String hash, int id, Set<String> there) {
        Set<Integer> stillHidden = new TreeSet<>(hidden);
        Set<Integer> stillGone = new TreeSet<>(gone);
        stillHidden.remove(version);
        stillGone.remove(version);
        Map<String, Integer> now = new TreeMap<>(ids);
        now.putIfAbsent(hash, id);
        if (now.size() > FORGETS_AT) {
            now.keySet().removeIf(each -> !each.equals(hash) && !there.contains(each));
        }
        return new SubjectSettings(level, mode, stillHidden, stillGone, now);
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
        JsonObject byHash = new JsonObject();
        new TreeMap<>(ids).forEach(byHash::put);
        if (!ids.isEmpty()) {
            json.put("ids", byHash);
        }
        return json.put("hidden", new JsonArray(new TreeSet<>(hidden).stream().toList()))
                .put("gone", new JsonArray(new TreeSet<>(gone).stream().toList()));
    }

    static SubjectSettings of(JsonObject json) {
        Map<String, Integer> ids = new TreeMap<>();
        json.getJsonObject("ids", new JsonObject())
                .forEach(each -> ids.put(each.getKey(), ((Number) each.getValue()).intValue()));
        return new SubjectSettings(
                json.getString("level"), json.getString("mode"), versions(json, "hidden"), versions(json, "gone"), ids);
    }

    private static Set<Integer> versions(JsonObject json, String field) {
        Set<Integer> versions = new TreeSet<>();
        json.getJsonArray(field, new JsonArray()).forEach(v -> versions.add(((Number) v).intValue()));
        return versions;
    }
}
