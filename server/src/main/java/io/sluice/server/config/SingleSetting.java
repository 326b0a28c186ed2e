package io.sluice.server.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** A setting of the command line: {@code kafka.port=19092}. The value is text, so that YAML's rules do not apply to it. */
final class SingleSetting {
    private SingleSetting() {}

    /** As a file would give it. The value is never quoted: it may be a secret. */
    static ObjectNode parse(String setting) {
        int equals = setting.indexOf('=');
        List<String> path = List.of(setting.substring(0, Math.max(0, equals)).split("\\.", -1));
        if (path.contains("")) {
            throw new ConfigException("--set wants KEY=VALUE, for example kafka.port=19092");
        }
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode inner = root;
        for (String section : path.subList(0, path.size() - 1)) {
            inner = inner.putObject(section);
        }
        inner.put(path.getLast(), setting.substring(equals + 1));
        return root;
    }
}
