package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/**
 * Name of a user or a client id for which a quota is set.
 *
 * @param name null for the default, which is for each that has no quota by its own name
 */
public record QuotaName(@Nullable String name) {
    public static final QuotaName DEFAULT = new QuotaName(null);
}
