package io.sluice.perf.report;

import java.io.StringReader;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The markup of a page, which is XML but for its scripts. */
final class PageMarkup {
    private static final Pattern SCRIPT = Pattern.compile("<script[^>]*>.*?</script>", Pattern.DOTALL);

    private PageMarkup() {}

    static String withoutScripts(String page) {
        return SCRIPT.matcher(page).replaceAll("");
    }

    static Document parse(String page) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(withoutScripts(page))));
    }
}
