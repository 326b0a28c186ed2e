package io.sluice.pulsar.schema;

import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;

/**
 * Rules by which a topic takes schemas.
 *
 * @param strategy how a schema must agree with those before it; never {@code UNDEFINED}
 * @param autoUpdate whether clients bring new schemas; if not, only the admin interface does
 */
public record SchemaRules(SchemaCompatibilityStrategy strategy, boolean autoUpdate) {
    /** Rules where nothing is set, as Pulsar's. */
    public static final SchemaRules STANDARD = new SchemaRules(SchemaCompatibilityStrategy.FULL, true);

    /** The same for the admin interface. */
    public SchemaRules ofAdmin() {
        return new SchemaRules(strategy, true);
    }
}
