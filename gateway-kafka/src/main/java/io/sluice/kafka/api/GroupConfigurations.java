package io.sluice.kafka.api;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Port: settings of groups. Any thread; never blocks. */
public interface GroupConfigurations {
    /** No group has settings of its own. */
    GroupConfigurations NONE = new GroupConfigurations() {
        @Override
        public List<Setting> of(String group) {
            return List.of();
        }

        @Override
        public @Nullable String whyNot(Map<String, @Nullable String> changes) {
            return "groups have no settings on this server";
        }

        @Override
        public CompletableFuture<Void> change(String group, Map<String, @Nullable String> changes, boolean replaceAll) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }
    };

    /**
     * A setting as it is for a group.
     *
     * @param own value that the group has set; null if it has not
     * @param otherwise value where a group sets none
     * @param type in the words of Kafka's config definitions
     */
    record Setting(String name, @Nullable String own, String otherwise, String type, String documentation) {
        public String value() {
            return own == null ? otherwise : own;
        }
    }

    /** All settings, of a group that need not be there. */
    List<Setting> of(String group);

    /**
     * Why settings cannot be changed like this, for the client; null if they can.
     *
     * @param changes by name; null for a setting that goes back to its default
     */
    @Nullable
    String whyNot(Map<String, @Nullable String> changes);

    /** Changes them; done when that is stored. */
    CompletableFuture<Void> change(String group, Map<String, @Nullable String> changes, boolean replaceAll);
}
