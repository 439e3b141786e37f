#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "benchmarks/base/recording.hpp"
#include "benchmarks/files/record/archive.hpp"
#include "benchmarks/files/record/codec.hpp"

namespace apod::record {
namespace {

// A trace may have 100,000 records of a kind. They are written as columns, one array for each
// field. Few texts differ, so a text is written as its index in one list.

// The lists of fields, for both directions. An enumeration is written as an integer; the value
// after it is the last value of the enumeration.

template <class Archive, Is<Activity> T>
void columns(Archive& column, T& t) {
  column("kind", t.kind, Activity::Kind::memset);
  column("name", t.name);
  column("start_ns", t.start_ns);
  column("end_ns", t.end_ns);
  column("device", t.device);
  column("stream", t.stream);
  column("correlation", t.correlation);
  column("grid_x", t.grid[0]);
  column("grid_y", t.grid[1]);
  column("grid_z", t.grid[2]);
  column("block_x", t.block[0]);
  column("block_y", t.block[1]);
  column("block_z", t.block[2]);
  column("registers_per_thread", t.registers_per_thread);
  column("static_shared_bytes", t.static_shared_bytes);
  column("dynamic_shared_bytes", t.dynamic_shared_bytes);
  column("local_bytes", t.local_bytes);
  column("resident_blocks", t.resident_blocks);
  column("limiter", t.limiter, OccupancyLimiter::shared_memory);
  column("code", t.code);
  column("bytes", t.bytes);
  column("source", t.source, MemoryKind::device);
  column("target", t.target, MemoryKind::device);
  column("synchronous", t.synchronous);
}

template <class Archive, Is<ApiCall> T>
void columns(Archive& column, T& t) {
  column("name", t.name);
  column("driver", t.driver);
  column("start_ns", t.start_ns);
  column("end_ns", t.end_ns);
  column("thread", t.thread);
  column("correlation", t.correlation);
}

template <class Archive, Is<Synchronization> T>
void columns(Archive& column, T& t) {
  column("kind", t.kind, Synchronization::Kind::context);
  column("start_ns", t.start_ns);
  column("end_ns", t.end_ns);
  column("stream", t.stream);
}

template <class Archive, Is<NvtxRange> T>
void columns(Archive& column, T& t) {
  column("domain", t.domain);
  column("name", t.name);
  column("start_ns", t.start_ns);
  column("end_ns", t.end_ns);
  column("thread", t.thread);
  column.if_any("bytes", t.bytes);  // older files have none
  column.if_any("communicator", t.communicator);
  column.if_any("ranks", t.ranks);
}

template <class Archive, Is<Overhead> T>
void columns(Archive& column, T& t) {
  column("kind", t.kind);
  column("start_ns", t.start_ns);
  column("end_ns", t.end_ns);
}

template <class Archive, Is<Trace> T>
void tables(Archive& table, T& t) {
  table("activities", t.activities);
  table("calls", t.calls);
  table("synchronizations", t.synchronizations);
  table("ranges", t.ranges);
  table("overheads", t.overheads);
}

/// Appends each record's fields to the columns of one table, which it visits in turn.
class ColumnWriter {
 public:
  using Texts = std::unordered_map<std::string, std::size_t>;
  ColumnWriter(Texts& texts, std::size_t rows) : texts_(texts), rows_(rows) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::same_as<T, std::string>) {
      next(name).emplace_back(texts_.try_emplace(value, texts_.size()).first->second);
    } else {
      next(name).emplace_back(value);
    }
  }
  template <class Enum>
  void operator()(const char* name, const Enum& value, Enum /*last*/) {
    next(name).emplace_back(static_cast<int>(value));
  }
  template <class T>
  void if_any(const char* name, const T& value) {
    (*this)(name, value);
  }
  void end_row() { at_ = 0; }

  Json take() {
    Json object = Json::object();
    for (auto& [name, values] : columns_) object[name] = std::move(values);
    return object;
  }

 private:
  Json::array_t& next(const char* name) {
    if (at_ == columns_.size()) columns_.emplace_back(name, Json::array_t()).second.reserve(rows_);
    return columns_[at_++].second;
  }

  Texts& texts_;
  std::size_t rows_;
  std::vector<std::pair<const char*, Json::array_t>> columns_;
  std::size_t at_ = 0;
};

class TableWriter {
 public:
  template <class Record>
  void operator()(const char* name, const std::vector<Record>& records) {
    ColumnWriter writer(texts_, records.size());
    for (const auto& record : records) {
      columns(writer, record);
      writer.end_row();
    }
    json[name] = writer.take();
  }

  /// The texts in the order of their places.
  Json texts() const {
    std::vector<const std::string*> ordered(texts_.size());
    for (const auto& [text, place] : texts_) ordered[place] = &text;
    Json all = Json::array();
    for (const auto* text : ordered) all.push_back(*text);
    return all;
  }

  Json json = Json::object();

 private:
  ColumnWriter::Texts texts_;
};

/// Reads the fields of row after row.
class ColumnReader {
 public:
  ColumnReader(const Json& object, const std::vector<std::string>& texts)
      : object_(object), texts_(texts) {
    if (!object.is_object()) throw std::runtime_error("not an object");
  }

  /// As many as the first column is long; of none, none.
  std::size_t rows() const { return object_.empty() ? 0 : object_.begin()->size(); }

  template <class T>
  void operator()(const char* name, T& value) {
    const Json& cell = next(name);
    try {
      if constexpr (std::same_as<T, std::string>) {
        std::size_t place = 0;
        Reader::read(cell, place);
        if (place >= texts_.size()) throw std::runtime_error("the index of a text is out of range");
        value = texts_[place];
      } else {
        Reader::read(cell, value);
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(name) + ": [" + std::to_string(row_) +
                               "]: " + error.what());
    }
  }
  template <class Enum>
  void operator()(const char* name, Enum& value, Enum last) {
    unsigned number = 0;
    (*this)(name, number);
    if (number > static_cast<unsigned>(last)) {
      throw std::runtime_error(std::string(name) + ": [" + std::to_string(row_) +
                               "]: unknown kind");
    }
    value = static_cast<Enum>(number);
  }
  template <class T>
  void if_any(const char* name, T& value) {
    if (object_.contains(name)) (*this)(name, value);
  }
  void end_row() {
    at_ = 0;
    ++row_;
  }

 private:
  const Json& next(const char* name) {
    if (at_ == columns_.size()) {
      const auto found = object_.find(name);
      if (found == object_.end()) throw std::runtime_error(std::string(name) + ": missing");
      if (!found->is_array() || found->size() != rows()) {
        throw std::runtime_error(std::string(name) +
                                 ": must be a column of the same length as the other columns");
      }
      columns_.push_back(&*found);
    }
    return (*columns_[at_++])[row_];
  }

  const Json& object_;
  const std::vector<std::string>& texts_;
  std::vector<const Json*> columns_;
  std::size_t at_ = 0;
  std::size_t row_ = 0;
};

class TableReader {
 public:
  explicit TableReader(const Json& json) : json_(json) {
    Reader reader(json);
    reader("texts", texts_);
  }

  template <class Record>
  void operator()(const char* name, std::vector<Record>& records) {
    const auto found = json_.find(name);
    if (found == json_.end()) throw std::runtime_error(std::string(name) + ": missing");
    try {
      ColumnReader reader(*found, texts_);
      records.reserve(reader.rows());
      for (std::size_t row = 0; row < reader.rows(); ++row) {
        columns(reader, records.emplace_back());
        reader.end_row();
      }
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(name) + ": " + error.what());
    }
  }

 private:
  const Json& json_;
  std::vector<std::string> texts_;
};

}  // namespace

Json trace_json(const Trace& trace) {
  TableWriter writer;
  tables(writer, trace);
  writer.json["texts"] = writer.texts();
  writer.json["notes"] = trace.notes;
  return std::move(writer.json);
}

namespace {

template <class Item>
void check_times(const std::vector<Item>& items, const char* what) {
  for (const auto& item : items) {
    if (item.start_ns > -furthest_ns && item.end_ns < furthest_ns && item.start_ns <= item.end_ns)
      continue;
    throw std::runtime_error(std::string("trace: ") + what + ": a time is out of range");
  }
}

}  // namespace

Trace trace_of(const Json& json) {
  TableReader table(json);
  Trace trace;
  tables(table, trace);
  check_times(trace.activities, "activities");
  check_times(trace.calls, "calls");
  check_times(trace.synchronizations, "synchronizations");
  check_times(trace.ranges, "ranges");
  check_times(trace.overheads, "overheads");
  Reader reader(json);
  reader("notes", trace.notes);
  return trace;
}

std::string encode(const Trace& trace) {
  return dump(trace_json(trace));
}

Trace decode_trace(std::string_view line) {
  try {
    return trace_of(parse_bounded(line));
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("not a trace: ") + error.what());
  }
}

}  // namespace apod::record
