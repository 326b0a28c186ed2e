package io.sluice.kafka;

import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.ApiRights;
import io.sluice.kafka.api.Apis;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * The APIs this server speaks, each with its handler. What is not in the table is neither advertised nor answered. Built
 * once: {@code new ApiTable(List.of(new MetadataHandler(...), ...))}; the coordinator gives its handlers as another list.
 */
public final class ApiTable implements Apis {
    private final Map<ApiKeys, Api> apis = new EnumMap<>(ApiKeys.class);

    public ApiTable(List<? extends Api> apis) {
        for (Api api : apis) {
            ApiRights.of(api.key());
            if (this.apis.putIfAbsent(api.key(), api) != null) {
                throw new IllegalArgumentException("two handlers for " + api.key());
            }
        }
    }

    @Override
    public @Nullable Api find(short key) {
        return ApiKeys.hasId(key) ? apis.get(ApiKeys.forId(key)) : null;
    }

    @Override
    public Collection<Api> all() {
        return apis.values();
    }
}
