#include "benchmarks/base/text/quantities.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "benchmarks/base/text/plain.hpp"
#include "benchmarks/base/text/units.hpp"
#include "tests/support/texts.hpp"

namespace apod::text {
namespace {

TEST(Counts, AreReadInEveryForm) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  using Good = std::pair<const char*, std::int64_t>;
  for (const auto& [text, value] : {Good{"0", 0},
                                    Good{"1", 1},
                                    Good{"1_000_000", 1'000'000},
                                    Good{"1e6", 1'000'000},
                                    Good{"1E+6", 1'000'000},
                                    Good{"1.5e6", 1'500'000},
                                    Good{"1.50e1", 15},
                                    Good{"2.0", 2},
                                    Good{"0e99", 0},
                                    Good{"2^28", 268'435'456},
                                    Good{"1^1000000000000", 1},
                                    Good{"10^0", 1},
                                    Good{"64Ki", 65'536},
                                    Good{"64Mi", 67'108'864},
                                    Good{"2Gi", 2'147'483'648},
                                    Good{"1Ti", 1'099'511'627'776},
                                    Good{"-5", -5},
                                    Good{"+5", 5},
                                    Good{" 7 ", 7},
                                    Good{"9223372036854775807", most},
                                    Good{"9.223372036854775807e18", most}}) {
    const auto parsed = parse_count(text);
    ASSERT_TRUE(parsed.value) << text << ": " << parsed.message;
    EXPECT_EQ(*parsed.value, value) << text;
  }
}

TEST(Counts, SayWhatIsWrong) {
  const auto expect_refused = [](const char* message, std::initializer_list<const char*> texts) {
    for (const char* text : texts) {
      const auto parsed = parse_count(text);
      EXPECT_FALSE(parsed.value) << text;
      EXPECT_TRUE(contains(parsed.message, message)) << text;
    }
  };
  expect_refused("is empty", {""});
  expect_refused("is not a whole number",
                 {"x", "1.5", "1.55e1", "1e-3", "1__0", "_1", "1_", "1e", "1.e3", "0x10", "64M",
                  "--1", "-", "1.5Mi", "nan", "inf"});
  expect_refused("is not a power", {"2^", "2^-1", "^", "2^2^2"});
  expect_refused("is too large", {"2^63", "9223372036854775808", "1e19", "1e99999999999999999999",
                                  "1e999999999", "99999999Ti"});
  expect_refused("is in bytes, but a count is needed", {"64MiB", "64 MB", "64B"});
}

TEST(Counts, OfBytesAreAnsweredWithTheCount) {
  EXPECT_EQ(parse_count("64MiB").hint, "write 64Mi");
  EXPECT_EQ(parse_count("8kB").hint, "write 8Ki");
  EXPECT_EQ(parse_count("8B").hint, "write it without 'B'");
}

TEST(Seconds, DemandTheirUnit) {
  EXPECT_DOUBLE_EQ(*parse_seconds("5s").value, 5);
  EXPECT_DOUBLE_EQ(*parse_seconds("200ms").value, 0.2);
  EXPECT_DOUBLE_EQ(*parse_seconds("1.5 us").value, 1.5e-6);
  EXPECT_DOUBLE_EQ(*parse_seconds("3ns").value, 3e-9);
  EXPECT_DOUBLE_EQ(*parse_seconds("2min").value, 120);
  EXPECT_DOUBLE_EQ(*parse_seconds("1h").value, 3600);
  EXPECT_EQ(parse_seconds("5").message, "'5' has no unit");
  EXPECT_EQ(parse_seconds("5").hint, "write 5s or 5ms");
  EXPECT_EQ(parse_seconds("5 parsec").message, "'parsec' is not a unit of time");
  for (const char* text : {"", "s", "nan s", "infs", "1e999s", "-", "."}) {
    EXPECT_FALSE(parse_seconds(text).value) << text;
  }
}

TEST(Shares, DemandTheirPercentSign) {
  EXPECT_DOUBLE_EQ(*parse_share("0.5%").value, 0.005);
  EXPECT_DOUBLE_EQ(*parse_share("30 %").value, 0.3);
  EXPECT_EQ(parse_share("0.005").message, "'0.005' has no unit");
  EXPECT_EQ(parse_share("5s").message, "'5s' is not a percentage");
  EXPECT_EQ(parse_share("small").message, "'small' is not a percentage");
}

TEST(Quantities, BecomeBaseUnits) {
  const auto value = [](const char* text, Unit unit) {
    const auto parsed = parse_quantity(text, unit);
    EXPECT_TRUE(parsed.value) << text << ": " << parsed.message;
    return parsed.value.value_or(-1);
  };
  EXPECT_DOUBLE_EQ(value("1e-5", Unit::ratio), 1e-5);
  EXPECT_DOUBLE_EQ(value("-0.25", Unit::ratio), -0.25);
  EXPECT_DOUBLE_EQ(value("30%", Unit::ratio), 0.3);
  EXPECT_DOUBLE_EQ(value("2^20", Unit::count), 1048576);
  EXPECT_DOUBLE_EQ(value("2.5", Unit::count), 2.5);
  EXPECT_DOUBLE_EQ(value("5us", Unit::seconds), 5e-6);
  EXPECT_DOUBLE_EQ(value("1.5 min", Unit::seconds), 90);
  EXPECT_DOUBLE_EQ(value("800 GB/s", Unit::bytes_per_second), 8e11);
  EXPECT_DOUBLE_EQ(value("1.2 TB/s", Unit::bytes_per_second), 1.2e12);
  EXPECT_DOUBLE_EQ(value("2GiB/s", Unit::bytes_per_second), 2147483648.0);
  EXPECT_DOUBLE_EQ(value("1.2TFLOP/s", Unit::flop_per_second), 1.2e12);
  EXPECT_DOUBLE_EQ(value("1500MHz", Unit::megahertz), 1500);
  EXPECT_DOUBLE_EQ(value("1.5GHz", Unit::megahertz), 1500);
  EXPECT_DOUBLE_EQ(value("20mJ", Unit::joules), 0.02);
  EXPECT_DOUBLE_EQ(value("1.5 kJ", Unit::joules), 1500);
  EXPECT_DOUBLE_EQ(value("700W", Unit::watts), 700);
  EXPECT_DOUBLE_EQ(value("80GFLOP/J", Unit::flop_per_joule), 8e10);
  EXPECT_DOUBLE_EQ(value("1 GiB", Unit::bytes), 1073741824.0);
  EXPECT_DOUBLE_EQ(value("8kB", Unit::bytes), 8000);
  EXPECT_DOUBLE_EQ(value("64Mi", Unit::bytes), 67108864);
  EXPECT_DOUBLE_EQ(value("8e6", Unit::bytes), 8e6);
}

TEST(Quantities, DemandTheirUnit) {
  const auto missing = [](Unit unit) {
    const auto parsed = parse_quantity("5", unit);
    return parsed.value ? "none" : parsed.message + " (" + parsed.hint + ")";
  };
  EXPECT_EQ(missing(Unit::seconds), "'5' has no unit (write 5s, 5ms or 5us)");
  EXPECT_EQ(missing(Unit::bytes_per_second), "'5' has no unit (write 5GB/s or 5TB/s)");
  EXPECT_EQ(missing(Unit::flop_per_second), "'5' has no unit (write 5GFLOP/s or 5TFLOP/s)");
  EXPECT_EQ(missing(Unit::megahertz), "'5' has no unit (write 5MHz or 5GHz)");
  EXPECT_EQ(missing(Unit::joules), "'5' has no unit (write 5J or 5mJ)");
  EXPECT_EQ(missing(Unit::watts), "'5' has no unit (write 5W or 5kW)");
  EXPECT_EQ(missing(Unit::flop_per_joule), "'5' has no unit (write 5GFLOP/J)");
  for (const auto unit : {Unit::count, Unit::ratio, Unit::bytes}) EXPECT_EQ(missing(unit), "none");
  // Zero is the same in every unit.
  EXPECT_EQ(parse_quantity("0", Unit::seconds).value, 0);
  EXPECT_EQ(parse_quantity("0.0", Unit::bytes_per_second).value, 0);
  EXPECT_FALSE(parse_quantity("0.1", Unit::seconds).value);
}

TEST(Quantities, RefuseUnitsThatDoNotFit) {
  const auto message = [](const char* text, Unit unit) {
    const auto parsed = parse_quantity(text, unit);
    return parsed.value ? "accepted" : parsed.message + " (" + parsed.hint + ")";
  };
  EXPECT_EQ(message("5GB/s", Unit::seconds),
            "'5GB/s' is not a time in seconds (use one of the units ns, us, ms, s, min, h)");
  EXPECT_EQ(message("5ms", Unit::count), "'5ms' is not a count (write it without a unit)");
  EXPECT_EQ(message("80%", Unit::count), "'80%' is not a count (write it without a unit)");
  EXPECT_EQ(message("80s", Unit::share),
            "'80s' is not a percentage or fraction (write it as 80% or 0.8)");
  EXPECT_EQ(message("1.5x", Unit::ratio), "'1.5x' is not a factor (write it as 1.5 or 150%)");
  EXPECT_EQ(message("5GB", Unit::bytes_per_second),
            "'5GB' is not a rate in bytes per second (use one of the units B/s, MB/s, GB/s, TB/s, "
            "MiB/s, GiB/s)");
  EXPECT_EQ(message("5GB/s", Unit::flop_per_second),
            "'5GB/s' is not a rate in FLOP per second (use one of the units FLOP/s, MFLOP/s, "
            "GFLOP/s, TFLOP/s)");
  for (const auto unit :
       {Unit::count, Unit::ratio, Unit::seconds, Unit::bytes, Unit::bytes_per_second,
        Unit::flop_per_second, Unit::megahertz, Unit::joules, Unit::watts, Unit::flop_per_joule}) {
    for (const char* text : {"", "streams", "200x200", "5 apples", "nan", "inf", "%", "1e999s"}) {
      EXPECT_FALSE(parse_quantity(text, unit).value) << text;
    }
  }
}

TEST(InQuotes, IsSafeToPrintAndShort) {
  EXPECT_EQ(in_quotes("a\nb\x1b"), "'a b\uFFFD'");
  EXPECT_EQ(in_quotes(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00e4";
  EXPECT_EQ(in_quotes(umlauts), "'" + umlauts.substr(0, 120) + "...'");
}

// Numbers in sentences have three digits and no zeros behind the point.
TEST(Sentences, HaveShortNumbers) {
  for (const auto& [seconds, text] :
       {std::pair{5e-8, "50 ns"}, std::pair{0.9994e-6, "999 ns"}, std::pair{0.9999e-6, "1 us"},
        std::pair{50.63e-6, "50.6 us"}, std::pair{0.9999e-3, "1 ms"}, std::pair{0.9994, "999 ms"},
        std::pair{999.9, "1000 s"}, std::pair{12345.0, "12345 s"}}) {
    EXPECT_EQ(format_time(seconds, in_prose), text) << seconds;
  }
  for (const auto& [value, text] :
       {std::pair{1056.0, "1056"}, std::pair{1.234, "1.23"}, std::pair{99.94, "99.9"},
        std::pair{99.96, "100"}, std::pair{1972.5, "1972"}}) {
    EXPECT_EQ(format_count(value), text) << value;
  }
  EXPECT_EQ(format_rate(999.6e9, "B/s", in_prose), "1 TB/s");
  EXPECT_EQ(format_rate(400e6, "B", in_prose), "400 MB");
  EXPECT_EQ(format_share(0.0994), "9.9 %");
  EXPECT_EQ(format_share(0.0996), "10 %");
}

TEST(FormatQuantity, HasTheUnitAndFourDigitsButCountsAndBytesInFull) {
  struct Example {
    Unit unit;
    double value;
    std::string text;
  };
  for (const auto& [unit, value, text] :
       {Example{Unit::count, 123456789, "123456789"}, Example{Unit::count, 3.51234, "3.512"},
        Example{Unit::ratio, 1.23456e-7, "1.235e-07"}, Example{Unit::share, 0.123456789, "12.35 %"},
        Example{Unit::share, 1, "100 %"}, Example{Unit::seconds, 1.5e-6, "1.5 us"},
        Example{Unit::seconds, 0, "0 s"}, Example{Unit::seconds, 90, "90 s"},
        Example{Unit::bytes, 100, "100 B"}, Example{Unit::bytes, 419430400, "419.4304 MB"},
        Example{Unit::bytes_per_second, 4.55e12, "4.55 TB/s"},
        Example{Unit::flop_per_second, 6.28e13, "62.8 TFLOP/s"},
        Example{Unit::megahertz, 1980, "1980 MHz"}, Example{Unit::joules, 0.0123456, "12.35 mJ"},
        Example{Unit::watts, 273.42, "273.4 W"},
        Example{Unit::flop_per_joule, 9.542e10, "95.42 GFLOP/J"}}) {
    EXPECT_EQ(format_quantity(value, unit), text);
  }
}

TEST(UnitCalled, KnowsEveryUnitByItsName) {
  const auto is = [](const char* name, Unit unit, double factor) {
    const auto found = unit_called(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->unit, unit) << name;
    EXPECT_EQ(found->factor, factor) << name;
  };
  is("", Unit::count, 1);
  is("ms", Unit::seconds, 1e-3);
  is("%", Unit::ratio, 0.01);
  is("MiB", Unit::bytes, 0x1p20);
  is("GB/s", Unit::bytes_per_second, 1e9);
  is("TFLOP/s", Unit::flop_per_second, 1e12);
  is("GHz", Unit::megahertz, 1e3);
  is("mJ", Unit::joules, 1e-3);
  is("kW", Unit::watts, 1e3);
  is("GFLOP/J", Unit::flop_per_joule, 1e9);
  for (const char* name : {"parsecs", "m", "GB/ms", "1"}) EXPECT_FALSE(unit_called(name)) << name;
}

}  // namespace
}  // namespace apod::text
