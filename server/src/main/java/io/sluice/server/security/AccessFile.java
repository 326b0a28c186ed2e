package io.sluice.server.security;

import io.sluice.server.config.ConfigException;
import io.sluice.server.config.ConfigFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * Users and groups with their access rules, as a file of YAML has them. Whoever is not named is none of its business.
 *
 * @param users each with a name of its own
 * @param groups each with a name of its own
 */
record AccessFile(List<User> users, List<Group> groups) {
    private static final int MOST_BYTES = 4 << 20;

    AccessFile {
        users = users == null ? List.of() : List.copyOf(users);
        groups = groups == null ? List.of() : List.copyOf(groups);
        unique("users", users.stream().map(User::name));
        unique("groups", groups.stream().map(Group::name));
    }

    /** @throws ConfigException it cannot be read, or is not right, in one line */
    static AccessFile read(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new ConfigException(file + " is larger than " + MOST_BYTES + " bytes");
            }
        } catch (IOException e) {
            throw new ConfigException("cannot read " + file);
        }
        return ConfigFile.read(AccessFile.class, new AccessFile(List.of(), List.of()), file, List.of());
    }

    private static void unique(String list, Stream<String> names) {
        Set<String> seen = new HashSet<>();
        names.filter(name -> !seen.add(name)).findFirst().ifPresent(twice -> {
            throw new ConfigException(list + " has " + twice + " twice");
        });
    }

    private static String named(String list, @Nullable String name) {
        if (name == null || name.isBlank() || name.equals("*")) {
            throw new ConfigException("each of " + list + " wants a name");
        }
        return name;
    }

    /**
     * A user.
     *
     * @param passwordFile with the password of one that is made, in one line, relative to the file that names it; null for a user that logs in
     *     by token or certificate, and for one that is there already
     * @param remove whether it is to be gone, with its rules
     * @param rules all that it is to have; null leaves those that it has
     */
    record User(
            String name,
            @Nullable String passwordFile,
            Boolean remove,
            @Nullable List<Rule> rules) {
        User {
            name = named("users", name);
            remove = remove != null && remove;
            if (remove && (passwordFile != null || rules != null)) {
                throw new ConfigException("the user " + name + " is to be removed, so it can have nothing else");
            }
        }

        String principal() {
            return "User:" + name;
        }
    }

    /**
     * A group of users, as tokens name them.
     *
     * @param rules all that it is to have; none are as good as no group
     */
    record Group(String name, List<Rule> rules) {
        Group {
            name = named("groups", name);
            if (rules == null) {
                throw new ConfigException("the group " + name + " wants rules; [] takes away those that it has");
            }
        }

        String principal() {
            return "Group:" + name;
        }
    }

    /**
     * Access rules for one resource, one for each operation.
     *
     * @param resource type, as Kafka has it: {@code topic}, {@code group}, {@code cluster}, ...
     * @param name {@code kafka-cluster} if it is left out for the cluster
     * @param pattern {@code literal}, the default, or {@code prefixed}
     * @param operations {@code read}, {@code write}, {@code all}, ...
     * @param permission {@code allow}, the default, or {@code deny}
     * @param host address, or {@code *} for all, the default
     */
    record Rule(String resource, String name, String pattern, List<String> operations, String permission, String host) {
        Rule {
            ResourceType type = known("resource", resource, ResourceType::fromString, ResourceType.values());
            if (name == null && type == ResourceType.CLUSTER) {
                name = "kafka-cluster";
            }
            if (name == null || name.isEmpty()) {
                throw new ConfigException("a rule for a " + resource + " wants a name");
            }
            if (operations == null || operations.isEmpty()) {
                throw new ConfigException("the rule for " + resource + " " + name + " wants operations");
            }
            operations.forEach(each -> known("operation", each, AclOperation::fromString, AclOperation.values()));
            pattern = pattern == null ? "literal" : pattern;
            PatternType how = known("pattern", pattern, PatternType::fromString, PatternType.values());
            if (!how.isSpecific()) {
                throw new ConfigException("a rule's pattern is '" + pattern + "', expected is literal or prefixed");
            }
            permission = permission == null ? "allow" : permission;
            known("permission", permission, AclPermissionType::fromString, AclPermissionType.values());
            host = host == null ? "*" : host;
        }

        /** The rule as Kafka has it, one for each operation. */
        Stream<AclBinding> of(String principal) {
            var resources = new ResourcePattern(
                    ResourceType.fromString(resource), name, PatternType.fromString(pattern.toUpperCase(Locale.ROOT)));
            return operations.stream()
                    .map(operation -> new AclBinding(
                            resources,
                            new AccessControlEntry(
                                    principal,
                                    host,
                                    AclOperation.fromString(operation),
                                    AclPermissionType.fromString(permission))));
        }

        /** Kafka's own words for questions (ANY) and for what it does not know are none of a rule. */
        private static <T extends Enum<T>> T known(
                String what, @Nullable String given, Function<String, T> read, T[] all) {
            T found = given == null ? null : read.apply(given.toUpperCase(Locale.ROOT));
            if (found == null || found.name().equals("ANY") || found.name().equals("UNKNOWN")) {
                throw new ConfigException("a rule's " + what + " is '" + given + "', expected is one of "
                        + words(all).collect(Collectors.joining(", ")));
            }
            return found;
        }

        private static <T extends Enum<T>> Stream<String> words(T[] all) {
            return Stream.of(all)
                    .map(each -> each.name().toLowerCase(Locale.ROOT))
                    .filter(word -> !Set.of("any", "unknown", "match").contains(word));
        }
    }

    /** Rules of a principal, each once. */
    static Set<AclBinding> bindings(String principal, List<Rule> rules) {
        List<AclBinding> all = new ArrayList<>();
        rules.forEach(rule -> rule.of(principal).forEach(all::add));
        return Set.copyOf(all);
    }
}
