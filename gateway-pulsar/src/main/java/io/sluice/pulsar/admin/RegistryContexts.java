package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.ext.web.Router;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The registry's paths of one context: {@code /contexts/CONTEXT/subjects/NAME} is {@code /subjects/:CONTEXT:NAME}, as in Confluent's registry. Where the
 * path names no subject, the context goes to the parameters that say which subjects are meant. Of the default context they are the paths without one.
 */
final class RegistryContexts {
    static final String PATH = "/contexts/*";

    private static final Set<String> SETTINGS = Set.of("config", "mode");
    private static final Set<String> ROOTS = Set.of("subjects", "schemas", "compatibility", "config", "mode");
    private static final String ALL = ":*:";

    /** Before the context, and before what follows in {@code /contexts/CONTEXT/...}. */
    private static final int CONTEXT_AT = 2;

    private RegistryContexts() {}

    /** Adds the way to the paths without a context; before {@link Routes#otherwise}. */
    static void mount(Router router) {
        router.route(PATH).handler(ctx -> {
            String other = withoutContext(ctx.request().path(), ctx.request().query());
            if (other == null) {
                ctx.next();
            } else {
                ctx.reroute(other);
            }
        });
    }

    /**
     * Path and query that are asked, encoded; null if the path is of no context, or of nothing that the registry has.
     *
     * @param path encoded
     */
    static @Nullable String withoutContext(String path, @Nullable String query) {
        List<String> elements = List.of(path.split("/"));
        if (elements.size() <= CONTEXT_AT + 1 || !ROOTS.contains(elements.get(CONTEXT_AT + 1))) {
            return null;
        }
        try {
            String context = URLDecoder.decode(elements.get(CONTEXT_AT), UTF_8);
            String prefix = URLEncoder.encode(prefix(context), UTF_8);
            return within(prefix, elements.subList(CONTEXT_AT + 1, elements.size()), query);
        } catch (IllegalArgumentException e) {
            return null; // not encoded as it should be
        }
    }

    private static String within(String prefix, List<String> path, @Nullable String query) {
        List<String> rest = new ArrayList<>(path);
        int subjectAt = rest.indexOf("subjects") + 1;
        if (SETTINGS.contains(rest.getFirst())) {
            subjectAt = 1;
            if (rest.size() == 1 && !prefix.isEmpty()) {
                rest.add("");
            }
        }
        if (subjectAt > 0 && subjectAt < rest.size()) {
            rest.set(subjectAt, within(prefix, rest.get(subjectAt)));
        }
        String parameter = parameterOf(rest);
        String asked = parameter == null ? query : within(prefix, parameter, query);
        return "/" + String.join("/", rest) + (asked == null || asked.isEmpty() ? "" : "?" + asked);
    }

    /** {@code :.CONTEXT:}, which names of its subjects begin with; empty for the default context. */
    private static String prefix(String context) {
        String name = context.startsWith(":") && context.endsWith(":") && context.length() > 1
                ? context.substring(1, context.length() - 1)
                : context;
        String dotted = name.startsWith(".") ? name : "." + name;
        return dotted.equals(".") ? "" : ":" + dotted + ":";
    }

    private static String within(String prefix, String subject) {
        String name = URLDecoder.decode(subject, UTF_8);
        return name.startsWith(":.") || name.startsWith(ALL) ? subject : prefix + subject;
    }

    /** The query's parameter that is about subjects; null if there is none. */
    private static @Nullable String parameterOf(List<String> path) {
        boolean isId = path.size() > 1
                && path.getFirst().equals("schemas")
                && path.get(1).equals("ids");
        boolean isList = path.equals(List.of("schemas")) || path.equals(List.of("subjects"));
        return isId ? "subject" : isList ? "subjectPrefix" : null;
    }

    private static String within(String prefix, String parameter, @Nullable String query) {
        String name = parameter + "=";
        List<String> parameters =
                new ArrayList<>(query == null || query.isEmpty() ? List.of() : Arrays.asList(query.split("&")));
        if (parameters.stream().noneMatch(each -> each.startsWith(name))) {
            parameters.add(name);
        }
        parameters.replaceAll(
                each -> each.startsWith(name) ? name + within(prefix, each.substring(name.length())) : each);
        parameters.removeIf(name::equals);
        return String.join("&", parameters);
    }
}
