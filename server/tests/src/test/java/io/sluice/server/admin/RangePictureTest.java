package io.sluice.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.admin.RangePicture.Box;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class RangePictureTest {
    private static final long HOUR = 3_600_000;

    private static Document draw(RangePicture picture, Box... boxes) throws Exception {
        byte[] svg = picture.svg(List.of(boxes)).getBytes(StandardCharsets.UTF_8);
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new ByteArrayInputStream(svg));
    }

    private static List<String> texts(Document svg, String element) {
        NodeList all = svg.getElementsByTagName(element);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < all.getLength(); i++) {
            texts.add(all.item(i).getTextContent());
        }
        return texts;
    }

    /** x, y, width and height of the boxes. */
    private static List<List<Double>> boxes(Document svg) {
        NodeList all = svg.getElementsByTagName("rect");
        List<List<Double>> boxes = new ArrayList<>();
        for (int i = 1; i < all.getLength(); i++) {
            Element box = (Element) all.item(i);
            boxes.add(List.of("x", "y", "width", "height").stream()
                    .map(name -> Double.valueOf(box.getAttribute(name)))
                    .toList());
        }
        return boxes;
    }

    @Test
    void aSplitIsDrawnAsOneBoxThatTwoFollow() throws Exception {
        Document svg = draw(
                new RangePicture("t", 64, 0, 2 * HOUR),
                new Box(0, 64, 0, HOUR, "first", "partitions 0-63", 0),
                new Box(0, 32, HOUR, Long.MAX_VALUE, "second", "partitions 0-31", 0),
                new Box(32, 64, HOUR, Long.MAX_VALUE, "third", "partitions 32-63", 1));

        assertThat(boxes(svg))
                .containsExactly(
                        List.of(64.0, 32.0, 440.0, 416.0),
                        List.of(504.0, 240.0, 440.0, 208.0),
                        List.of(504.0, 32.0, 440.0, 208.0));
        assertThat(texts(svg, "title")).containsExactly("partitions 0-63", "partitions 0-31", "partitions 32-63");
        assertThat(texts(svg, "text")).contains("t", "63", "now", "-1 h", "-2 h", "first", "second", "third");
    }

    @Test
    void whatIsBeforeOrTooThinIsCutOffOrUnnamed() throws Exception {
        Document svg = draw(
                new RangePicture("a<b", 65_536, HOUR, 2 * HOUR),
                new Box(0, 65_536, 0, HOUR / 2, "gone", "", 0),
                new Box(0, 65_536, HOUR / 2, HOUR + HOUR / 2, "cut", "", 0),
                new Box(0, 1, HOUR, 2 * HOUR, "thin", "", 7_000_000_000L));

        assertThat(boxes(svg)).hasSize(2);
        assertThat(boxes(svg).getFirst()).containsExactly(64.0, 32.0, 440.0, 416.0);
        assertThat(texts(svg, "text")).contains("a<b", "cut").doesNotContain("gone", "thin");
    }

    @Test
    void aTopicThatWasMadeJustNowHasATimeToo() throws Exception {
        assertThat(texts(draw(new RangePicture("t", 2, 5, 5)), "text")).contains("now");
    }
}
