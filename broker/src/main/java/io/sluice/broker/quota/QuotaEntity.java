package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/**
 * Clients for which quotas are set; at least one of the two is there.
 *
 * @param user null if the user does not matter
 * @param clientId null if the client id does not matter
 */
public record QuotaEntity(
        @Nullable QuotaName user, @Nullable QuotaName clientId) {
    public QuotaEntity {
        if (user == null && clientId == null) {
            throw new IllegalArgumentException("a quota of nobody");
        }
    }
}
