package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.RegistryRoutes.answered;

import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.registry.RegistrySettings;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.pulsar.registry.Subject;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Levels of compatibility and modes of the schema registry, of a subject and of those that have none of their own. */
final class RegistrySettingsRoutes {
    private static final List<String> RULES = List.of("defaultRuleSet", "overrideRuleSet");

    /** Settings of other registries, on which who gives them relies. */
    private static final List<String> NOT_THERE = List.of(
            "alias", "normalize", "validateFields", "compatibilityGroup", "defaultMetadata", "overrideMetadata");

    private final SchemaRegistry registry;
    private final RegistrySettings settings;

    RegistrySettingsRoutes(SchemaRegistry registry) {
        this.registry = registry;
        this.settings = registry.settings();
    }

    void add(Routes routes) {
        var look = routes.subject(DESCRIBE_CONFIGS);
        look.get("/config/:subject", answered(this::level));
        look.get("/mode/:subject", answered(this::mode));
        var change = routes.subject(ALTER_CONFIGS);
        change.put("/config/:subject", answered(r -> setLevel(r.request(), r.subject())));
        change.delete("/config/:subject", answered(r -> {
            Object before = level(r);
            settings.setLevel(r.subject(), null);
            return before;
        }));
        change.put("/mode/:subject", answered(r -> setMode(r.request(), r.subject())));
        change.delete("/mode/:subject", answered(r -> {
            Object before = mode(r);
            registry.setMode(r.subject(), null, false);
            return before;
        }));
        var lookAtAll = routes.registrySettings(DESCRIBE_CONFIGS);
        lookAtAll.get("/config", answered(r -> new JsonObject().put("compatibilityLevel", settings.level())));
        lookAtAll.get("/mode", answered(r -> new JsonObject().put("mode", settings.mode())));
        var changeAll = routes.registrySettings(ALTER_CONFIGS);
        changeAll.put("/config", answered(r -> setLevel(r, null)));
        changeAll.put("/mode", answered(r -> setMode(r, null)));
        changeAll.delete("/config", answered(r -> {
            Object before = new JsonObject().put("compatibilityLevel", settings.level());
            settings.setLevel(null, null);
            return before;
        }));
        changeAll.delete("/mode", answered(r -> {
            Object before = new JsonObject().put("mode", settings.mode());
            registry.setMode(null, null, false);
            return before;
        }));
    }

    private JsonObject level(SubjectRequest r) throws RegistryException, IOException {
        String own = settings.ownLevel(r.subject());
        if (own == null && !r.request().flag("defaultToGlobal")) {
            throw new RegistryException(
                    RegistryException.NO_LEVEL,
                    "Subject '" + r.subject().name() + "' does not have subject-level compatibility configured");
        }
        return new JsonObject().put("compatibilityLevel", own == null ? settings.level() : own);
    }

    private JsonObject mode(SubjectRequest r) throws RegistryException, IOException {
        String own = settings.ownMode(r.subject());
        if (own == null && !r.request().flag("defaultToGlobal")) {
            throw new RegistryException(
                    RegistryException.NO_MODE,
                    "Subject '" + r.subject().name() + "' does not have subject-level mode configured");
        }
        return new JsonObject().put("mode", own == null ? settings.mode() : own);
    }

    private Object setLevel(AdminRequest r, @Nullable Subject subject) throws RegistryException, IOException {
        JsonObject asked = r.json();
        for (String rules : RULES) {
            RegistryRoutes.refuseRules(asked.getValue(rules));
        }
        for (String setting : NOT_THERE) {
            Object value = asked.getValue(setting);
            if (value != null && !value.equals(false) && !value.equals("")) {
                throw new RegistryException(
                        RegistryException.NOT_PERMITTED, "'" + setting + "' is not a setting of this registry");
            }
        }
        String level = asked.getString("compatibility", "").toUpperCase(Locale.ROOT);
        settings.setLevel(subject, level);
        return new JsonObject().put("compatibility", level);
    }

    private Object setMode(AdminRequest r, @Nullable Subject subject) throws RegistryException, IOException {
        String mode = r.json().getString("mode", "").toUpperCase(Locale.ROOT);
        registry.setMode(subject, mode, r.flag("force"));
        return new JsonObject().put("mode", mode);
    }
}
