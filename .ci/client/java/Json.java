import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** JSON as maps, lists, texts, numbers, Booleans and null. */
final class Json {
    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        var json = new Json(text);
        var value = json.value();
        if (json.next() != 0) throw json.failure();
        return value;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> array(Object value) {
        return (List<Object>) value;
    }

    static String text(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(entry -> text(entry.getKey()) + ":" + text(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        if (value instanceof Collection<?> list) return list.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        if (!(value instanceof String string)) return String.valueOf(value);
        return string.chars().mapToObj(c -> c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", c) : Character.toString(c))
            .collect(Collectors.joining("", "\"", "\""));
    }

    private Object value() {
        switch (next()) {
            case '{':
                var map = new LinkedHashMap<String, Object>();
                position++;
                while (next() != '}') {
                    if (next() != '"') throw failure();
                    var name = string();
                    if (next() != ':') throw failure();
                    position++;
                    map.put(name, value());
                    if (next() == ',') position++;
                    else if (next() != '}') throw failure();
                }
                position++;
                return map;
            case '[':
                var list = new ArrayList<Object>();
                position++;
                while (next() != ']') {
                    list.add(value());
                    if (next() == ',') position++;
                    else if (next() != ']') throw failure();
                }
                position++;
                return list;
            case '"':
                return string();
            default:
                var begin = position;
                while (position < text.length() && ",]}".indexOf(text.charAt(position)) < 0) position++;
                var word = text.substring(begin, position).strip();
                return switch (word) {
                    case "null" -> null;
                    case "true", "false" -> Boolean.valueOf(word);
                    default -> new java.math.BigDecimal(word);
                };
        }
    }

    /** Returns the next character that is no space, without going past it; 0 at the end. */
    private char next() {
        while (position < text.length() && Character.isWhitespace(text.charAt(position))) position++;
        return position < text.length() ? text.charAt(position) : 0;
    }

    private String string() {
        var found = new StringBuilder();
        for (position++; text.charAt(position) != '"'; position++) {
            if (text.charAt(position) != '\\') {
                found.append(text.charAt(position));
                continue;
            }
            var escape = text.charAt(++position);
            var index = "bfnrt".indexOf(escape);
            if (escape == 'u') {
                found.append((char) Integer.parseInt(text.substring(position + 1, position + 5), 16));
                position += 4;
            } else {
                found.append(index < 0 ? escape : "\b\f\n\r\t".charAt(index));
            }
        }
        position++;
        return found.toString();
    }

    private IllegalArgumentException failure() {
        return new IllegalArgumentException("no JSON at " + position + ": " + text);
    }
}
