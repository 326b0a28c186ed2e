package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.coordinator.GroupCoordinators;
import java.util.ArrayList;
import java.util.List;

/** Groups that a request names: those that are coordinated here now, and the others, which it refuses one by one. */
record Served(List<String> here, List<String> elsewhere) {
    static Served of(List<String> named, GroupCoordinators groups) {
        Served all = new Served(new ArrayList<>(named.size()), new ArrayList<>(0));
        named.forEach(group -> (groups.serves(group) ? all.here : all.elsewhere).add(group));
        return all;
    }
}
