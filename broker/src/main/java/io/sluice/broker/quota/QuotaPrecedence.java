package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/**
 * Kafka's order of the eight entities that a client may belong to: the first one with a quota of the key counts, for itself.
 *
 * <pre>
 *      user      client id   who shares it
 *   1  by name   by name     clients of the user with the id
 *   2  by name   default     clients of the user with the same id
 *   3  by name   -           clients of the user
 *   4  default   by name     clients of the same user with the id
 *   5  default   default     clients of the same user with the same id
 *   6  default   -           clients of the same user
 *   7  -         by name     clients with the id
 *   8  -         default     clients with the same id
 * </pre>
 */
final class QuotaPrecedence {
    private QuotaPrecedence() {}

    /**
     * Null if none of them has a quota.
     *
     * @param clientId null for a client of a protocol without such ids: of the eight only the user's, and the default user's, count
     */
    static @Nullable QuotaShare find(QuotaSource source, QuotaKey key, String user, @Nullable String clientId) {
        if (clientId == null) {
            Long limit = first(
                    source, key, new QuotaEntity(new QuotaName(user), null), new QuotaEntity(QuotaName.DEFAULT, null));
            return limit == null ? null : new QuotaShare(key, user, "", limit);
        }
        QuotaName byId = new QuotaName(clientId);
        for (QuotaName byUser : new QuotaName[] {new QuotaName(user), QuotaName.DEFAULT}) {
            Long limit = first(source, key, new QuotaEntity(byUser, byId), new QuotaEntity(byUser, QuotaName.DEFAULT));
            if (limit != null) {
                return new QuotaShare(key, user, clientId, limit);
            }
            limit = source.limit(new QuotaEntity(byUser, null), key);
            if (limit != null) {
                return new QuotaShare(key, user, "", limit);
            }
        }
        Long limit = first(source, key, new QuotaEntity(null, byId), new QuotaEntity(null, QuotaName.DEFAULT));
        return limit == null ? null : new QuotaShare(key, "", clientId, limit);
    }

    private static @Nullable Long first(QuotaSource source, QuotaKey key, QuotaEntity entity, QuotaEntity otherwise) {
        Long limit = source.limit(entity, key);
        return limit == null ? source.limit(otherwise, key) : limit;
    }
}
