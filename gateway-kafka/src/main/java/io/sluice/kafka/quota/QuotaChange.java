package io.sluice.kafka.quota;

import io.sluice.broker.quota.QuotaEntity;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.quota.QuotaName;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.jspecify.annotations.Nullable;

/**
 * Change of one entity's quotas, as a request asks for it.
 *
 * @param limits units of each key a second; null for a quota that is to go
 */
record QuotaChange(QuotaEntity entity, Map<QuotaKey, @Nullable Long> limits) {
    /** By so much a whole number may be off as a double, as in Kafka. */
    private static final double OFF = 1e-6;

    /** It asks for what there is not. The message is for the client. */
    static final class InvalidException extends Exception {
        InvalidException(String message) {
            super(message, null, false, false);
        }
    }

    static QuotaChange of(EntryData entry) throws InvalidException {
        QuotaEntity entity = entity(entry);
        Map<QuotaKey, @Nullable Long> limits = new EnumMap<>(QuotaKey.class);
        for (OpData op : entry.ops()) {
            QuotaKey key = QuotaKey.of(op.key());
            if (key == null) {
                if (op.remove()) {
                    continue; // it is not there
                }
                throw new InvalidException("quota " + op.key() + " is not kept to by this server: it has "
                        + Arrays.stream(QuotaKey.values()).map(QuotaKey::word).collect(Collectors.joining(", ")));
            }
            if (limits.containsKey(key)) {
                throw new InvalidException("quota " + op.key() + " is changed twice");
            }
            limits.put(key, op.remove() ? null : limit(key, op));
        }
        return new QuotaChange(entity, limits);
    }

    private static QuotaEntity entity(EntryData entry) throws InvalidException {
        QuotaName user = null;
        QuotaName clientId = null;
        for (EntityData part : entry.entity()) {
            QuotaName name = new QuotaName(part.entityName());
            switch (part.entityType()) {
                case ClientQuotaEntity.USER -> user = once(user, name, part);
                case ClientQuotaEntity.CLIENT_ID -> clientId = once(clientId, name, part);
                case ClientQuotaEntity.IP ->
                    throw new InvalidException("quotas of addresses are not kept to by this server: "
                            + "security.connectionsPerAddress bounds their connections");
                default ->
                    throw new InvalidException("there are no quotas of entity type " + part.entityType()
                            + ": types are user and client-id");
            }
        }
        if (user == null && clientId == null) {
            throw new InvalidException("a quota is for a user, a client id or both");
        }
        return new QuotaEntity(user, clientId);
    }

    private static QuotaName once(@Nullable QuotaName before, QuotaName name, EntityData part) throws InvalidException {
        if (before != null) {
            throw new InvalidException("entity type " + part.entityType() + " is named twice");
        }
        return name;
    }

    private static long limit(QuotaKey key, OpData op) throws InvalidException {
        if (key.hasFractions()) {
            if (!(op.value() > 0) || Double.isInfinite(op.value())) { // of NaN neither is true
                throw new InvalidException("quota " + op.key() + " is a number, and more than 0");
            }
            return key.limit(op.value());
        }
        long value = (long) (op.value() + OFF);
        if (!(Math.abs(value - op.value()) <= OFF)) { // of NaN neither is true
            throw new InvalidException("quota " + op.key() + " is a whole number of bytes a second");
        }
        return value;
    }

    String entityText() {
        return text(ClientQuotaEntity.USER, entity.user()) + text(ClientQuotaEntity.CLIENT_ID, entity.clientId());
    }

    private static String text(String type, @Nullable QuotaName name) {
        return name == null ? "" : "/" + type + ":" + (name.name() == null ? "<default>" : name.name());
    }

    private static String text(QuotaKey key, @Nullable Long limit) {
        return limit == null ? "removed" : key.text(limit);
    }

    String limitsText() {
        return limits.entrySet().stream()
                .map(each -> each.getKey().word() + ":" + text(each.getKey(), each.getValue()))
                .collect(Collectors.joining(","));
    }
}
