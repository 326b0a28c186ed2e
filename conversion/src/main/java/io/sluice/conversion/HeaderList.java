package io.sluice.conversion;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Headers of a Kafka record as properties. A header that is text, under a name that no other has, is a property. Where others are among them,
 * the property {@link ReservedNames#HEADERS} lists all in order, names encoded as in a URL:
 *
 * <pre>
 *  name            the property of this name
 *  name=           the value in Base64 of URLs, here an empty one
 *  name=*          null
 *  one&amp;two    one header after the other
 * </pre>
 */
final class HeaderList {
    private static final String NULL = "*";

    private HeaderList() {}

    /**
     * Properties for {@code headers}.
     *
     * @param fieldsAt index of the header {@link ReservedNames#MESSAGE} that has become fields of the message; -1 if there is none
     */
    static Map<String, String> toProperties(Header[] headers, int fieldsAt) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (headers.length == 0) {
            return properties;
        }
        Set<String> repeated = repeated(headers);
        boolean list = fieldsAt >= 0 && fieldsAt < headers.length - 1;
        for (int i = 0; i < headers.length; i++) {
            String text = i == fieldsAt ? null : propertyOf(headers[i], repeated);
            if (text != null) {
                properties.put(headers[i].key(), text);
            } else if (i != fieldsAt) {
                list = true;
            }
        }
        if (list) {
            properties.put(ReservedNames.HEADERS, list(headers, fieldsAt, properties));
        }
        return properties;
    }

    private static Set<String> repeated(Header[] headers) {
        if (headers.length == 1) {
            return Set.of();
        }
        Set<String> seen = new HashSet<>();
        Set<String> repeated = new HashSet<>();
        for (Header header : headers) {
            if (!seen.add(header.key())) {
                repeated.add(header.key());
            }
        }
        return repeated;
    }

    /** Null if the header cannot be a property. */
    private static @Nullable String propertyOf(Header header, Set<String> repeated) {
        byte[] value = header.value();
        String name = header.key();
        boolean reserved = name.equals(ReservedNames.HEADERS)
                || name.equals(ReservedNames.TIMESTAMP)
                || name.equals(ReservedNames.SCHEMA);
        return value == null || reserved || repeated.contains(name) ? null : Utf8.text(value);
    }

    private static String list(Header[] headers, int fieldsAt, Map<String, String> properties) {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < headers.length; i++) {
            String name = headers[i].key();
            list.append(i == 0 ? "" : "&").append(Fields.encode(name));
            if (i != fieldsAt && !properties.containsKey(name)) {
                byte[] value = headers[i].value();
                list.append('=').append(value == null ? NULL : Fields.base64(value));
            }
        }
        return list.toString();
    }

    /**
     * Headers for {@code properties}, in which the list of headers is looked for; those that it does not name follow.
     *
     * @param fields header for what the record has no field for, in its place or last; null if there is none
     */
    static Header[] toHeaders(Map<String, String> properties, @Nullable Header fields) {
        if (properties.isEmpty()) {
            return fields == null ? new Header[0] : new Header[] {fields};
        }
        List<Header> headers = new ArrayList<>(properties.size() + 1);
        Map<String, String> rest = properties;
        String list = properties.get(ReservedNames.HEADERS);
        if (list != null) {
            Map<String, String> unlisted = new LinkedHashMap<>(properties);
            unlisted.remove(ReservedNames.HEADERS);
            if (readList(list, fields, unlisted, headers)) {
                rest = unlisted;
            } else {
                headers.clear();
            }
        }
        rest.forEach((name, value) -> headers.add(new RecordHeader(name, Utf8.bytes(value))));
        if (fields != null && headers.stream().noneMatch(each -> each == fields)) {
            headers.add(fields);
        }
        return headers.toArray(new Header[0]);
    }

    /** False if it is no such list; takes the properties that it names from {@code properties}. */
    private static boolean readList(
            String list, @Nullable Header fields, Map<String, String> properties, List<Header> headers) {
        for (int at = 0; at <= list.length(); ) {
            int end = list.indexOf('&', at);
            end = end < 0 ? list.length() : end;
            int equals = list.indexOf('=', at);
            boolean named = equals < 0 || equals > end;
            String name = Fields.decode(list.substring(at, named ? end : equals));
            if (name == null
                    || !(named
                            ? readNamed(name, fields, properties, headers)
                            : readValue(name, list.substring(equals + 1, end), headers))) {
                return false;
            }
            at = end + 1;
        }
        return true;
    }

    /** A property that is gone meanwhile leaves no header. */
    private static boolean readNamed(
            String name, @Nullable Header fields, Map<String, String> properties, List<Header> headers) {
        String value = properties.remove(name);
        if (value != null) {
            headers.add(new RecordHeader(name, Utf8.bytes(value)));
        } else if (fields != null && name.equals(fields.key())) {
            headers.add(fields);
        }
        return true;
    }

    private static boolean readValue(String name, String text, List<Header> headers) {
        byte[] value = text.equals(NULL) ? null : Fields.fromBase64(text);
        if (value == null && !text.equals(NULL)) {
            return false;
        }
        headers.add(new RecordHeader(name, value));
        return true;
    }
}
