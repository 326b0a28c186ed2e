package io.sluice.kafka.coordinator;

import io.sluice.broker.group.GroupConfigs;
import io.sluice.kafka.api.GroupConfigurations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.jspecify.annotations.Nullable;

/**
 * Settings of groups, in Kafka's names and within the bounds of the server's: stored in the metadata, and told to this node's coordinator and
 * fetches of share groups whenever they change. Those of dead-letter topics are not kept to, and refused.
 */
final class StoredGroupConfigs implements GroupConfigurations {
    private static final List<String> NOT_KEPT_TO = List.of("errors.deadletterqueue.");

    private final GroupConfigs store;
    private final CoordinatorParts parts;
    private final Executor blocking;

    StoredGroupConfigs(GroupConfigs store, CoordinatorParts parts, Executor blocking) {
        this.store = store;
        this.parts = parts;
        this.blocking = blocking;
        store.listen((group, settings) -> {
            Properties all = new Properties();
            all.putAll(settings);
            parts.service().updateGroupConfig(group, all);
        });
    }

    private static boolean isKeptTo(String name) {
        return NOT_KEPT_TO.stream().noneMatch(name::startsWith) && !GroupConfig.isInternal(name);
    }

    @Override
    public List<Setting> of(String group) {
        Map<String, String> own = store.of(group);
        List<Setting> all = new ArrayList<>();
        for (ConfigKey key : new TreeMap<>(GroupConfig.CONFIG_DEF.configKeys()).values()) {
            if (isKeptTo(key.name)) {
                all.add(new Setting(
                        key.name,
                        own.get(key.name),
                        otherwise(key),
                        key.type.name(),
                        String.valueOf(key.documentation)));
            }
        }
        return all;
    }

    private String otherwise(ConfigKey key) {
        Object ofServer =
                GroupConfig.brokerSynonym(key.name).map(parts::serverValue).orElse(null);
        return String.valueOf(ofServer == null ? key.defaultValue : ofServer);
    }

    @Override
    public @Nullable String whyNot(Map<String, @Nullable String> changes) {
        Map<String, String> set = new HashMap<>();
        for (var each : changes.entrySet()) {
            String value = each.getValue();
            if (!isKeptTo(each.getKey())) {
                return each.getKey() + " is not kept to by this server";
            }
            if (value != null) {
                set.put(each.getKey(), value);
            } else if (!GroupConfig.configNames().contains(each.getKey())) {
                return "there is no setting " + each.getKey() + " of groups";
            }
        }
        try {
            GroupConfig.validate(set, parts.config(), parts.shareConfig());
            return null;
        } catch (InvalidConfigurationException | ConfigException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Override
    public CompletableFuture<Void> change(String group, Map<String, @Nullable String> changes, boolean replaceAll) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        store.change(group, changes, replaceAll);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    } catch (GroupConfigs.RefusedException e) {
                        throw new CompletionException(new InvalidConfigurationException(e.getMessage()));
                    }
                },
                blocking);
    }
}
