package io.sluice.perf.report;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The templates of {@code src/main/jte}, which are compiled with this package. */
final class Templates {
    private static final TemplateEngine ENGINE =
            TemplateEngine.createPrecompiled(null, ContentType.Html, null, Templates.class.getPackageName());

    private Templates() {}

    /** @param name of a template with one parameter, {@code model} */
    static String render(String name, Object model) {
        var out = new StringOutput();
        ENGINE.render(name, model, out);
        return out.toString();
    }

    static String resource(String name) {
        try (InputStream resource = Templates.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(resource, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
