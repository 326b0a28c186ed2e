package io.sluice.kafka.rights;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.jspecify.annotations.Nullable;

/** A request with one of everything: topic {@code t}, group {@code g}, transactional id {@code x}; partition 0. */
final class FilledRequest {
    static final String TOPIC = "t";
    static final String GROUP = "g";
    static final String TRANSACTIONAL_ID = "x";

    /** Null, or what is made of the rest, is all right. */
    private static final Set<String> LEFT = Set.of(
            "groupInstanceId",
            "instanceId",
            "memberId",
            "rackId",
            "rack",
            "serverAssignor",
            "subscribedTopicRegex",
            "transactionalIdPattern",
            "forgottenTopicsData",
            "cursor",
            "assignments",
            "stateFilters",
            "statesFilter",
            "typesFilter",
            "producerIdFilters",
            "clusterId",
            "configurationKeys",
            "reason");

    private static final Pattern UNSUPPORTED = Pattern.compile("non-default (\\w+) at");

    private final Set<String> left;
    private final Uuid topic;

    private FilledRequest(Set<String> left, Uuid topic) {
        this.left = left;
        this.topic = topic;
    }

    static ApiMessage of(ApiKeys api, short version, Uuid topic) throws ReflectiveOperationException {
        Set<String> left = new HashSet<>(LEFT);
        if (api == ApiKeys.DELETE_TOPICS) {
            left.add("topicId"); // beside the name
        }
        while (true) {
            ApiMessage message = ApiMessageType.fromApiKey(api.id).newRequest();
            new FilledRequest(left, topic).fill(message);
            try {
                MessageUtil.toByteBufferAccessor(message, version);
                return message;
            } catch (UnsupportedVersionException e) {
                Matcher field = UNSUPPORTED.matcher(String.valueOf(e.getMessage()));
                if (!field.find() || !left.add(field.group(1))) {
                    throw e;
                }
            }
        }
    }

    private void fill(Object message) throws ReflectiveOperationException {
        for (Method setter : message.getClass().getMethods()) {
            String name = setter.getName();
            if (!name.startsWith("set") || setter.getParameterCount() != 1 || setter.getReturnType() == void.class) {
                continue;
            }
            String field = name.substring(3, 4).toLowerCase(Locale.ROOT) + name.substring(4);
            Object value = left.contains(field) ? null : value(field, setter.getGenericParameterTypes()[0]);
            if (value != null) {
                setter.invoke(message, value);
            }
        }
    }

    private static String word(String field) {
        String lower = field.toLowerCase(Locale.ROOT);
        if (lower.contains("transactionalid")) {
            return TRANSACTIONAL_ID;
        }
        return switch (field) {
            case "groupId", "groups", "groupsNames", "groupIds" -> GROUP;
            case "protocolType" -> "consumer";
            case "principal" -> "User:a";
            case "principalFilter" -> "User:a";
            case "hostFilter", "host" -> "*";
            default -> TOPIC;
        };
    }

    /** Of a topic, literally, to read, allowed: what ACLs and settings are of. */
    private static @Nullable Byte code(String field) {
        return switch (field) {
            case "resourceType", "resourceTypeFilter" -> (byte) 2;
            case "resourcePatternType", "patternType", "patternTypeFilter", "operation", "permissionType" -> (byte) 3;
            default -> null;
        };
    }

    /** Null to leave the field as it is. */
    private @Nullable Object value(String field, Type type) throws ReflectiveOperationException {
        if (type == String.class) {
            return word(field);
        }
        if (type == Uuid.class) {
            return field.equals("topicId") ? topic : null;
        }
        if (type == byte.class) {
            return code(field);
        }
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            Object element = element(field, list.getActualTypeArguments()[0]);
            return element == null ? null : new ArrayList<>(List.of(element));
        }
        if (type instanceof Class<?> made && AbstractCollection.class.isAssignableFrom(made)) {
            @SuppressWarnings("unchecked")
            Collection<Object> all =
                    (Collection<Object>) made.getDeclaredConstructor().newInstance();
            Type of = ((ParameterizedType) made.getGenericSuperclass()).getActualTypeArguments()[0];
            all.add(element(field, of));
            return all;
        }
        return null;
    }

    private @Nullable Object element(String field, Type type) throws ReflectiveOperationException {
        if (type == String.class) {
            return word(field);
        }
        if (type == Integer.class) {
            return 0;
        }
        if (type instanceof Class<?> made && made.getName().startsWith("org.apache.kafka.common.message")) {
            Object element = made.getDeclaredConstructor().newInstance();
            fill(element);
            return element;
        }
        return null;
    }
}
