package io.sluice.kafka.api;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The APIs this server speaks. */
public interface Apis {
    /** Null if the key is unknown or not spoken here. */
    @Nullable
    Api find(short key);

    /** All, in the order of their keys. */
    Collection<Api> all();
}
