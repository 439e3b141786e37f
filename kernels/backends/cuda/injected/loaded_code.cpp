#include "kernels/backends/cuda/injected/loaded_code.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "kernels/backends/cuda/tracer/machine_code.hpp"

namespace apod::cuda {
namespace {

/// Modules that were loaded within the present call of this thread.
thread_local std::vector<std::size_t> loaded_here;

/// PTX is text without a length: it ends at its zero.
constexpr std::size_t most_text = std::size_t{64} << 20;

bool is_ptx(const char* image) {
  // Each has ".version" as its first directive, behind comments.
  const std::string_view head(image, ::strnlen(image, 4096));
  return head.find(".version") != std::string_view::npos &&
         std::all_of(head.begin(), head.end(), [](char c) {
           return (c >= 32 && c < 127) || c == '\n' || c == '\r' || c == '\t';
         });
}

/// The length of an ELF file in memory: its section table is its end.
std::size_t elf_bytes(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const auto end = [](std::uint64_t at, std::uint64_t count, std::uint64_t size) {
    return at + count * size;
  };
  return std::max(end(header.e_shoff, header.e_shnum, header.e_shentsize),
                  end(header.e_phoff, header.e_phnum, header.e_phentsize));
}

LoadedCode::Bytes copied(const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  return std::make_shared<const std::vector<char>>(from, from + count);
}

bool holds_kernel(const std::vector<char>& cubin, const std::string& kernel) {
  const auto section = ".text." + kernel;
  // With the zeros around it: another kernel's name may begin so.
  return ::memmem(cubin.data(), cubin.size(), section.c_str(), section.size() + 1) != nullptr;
}

std::uint64_t hash_of(const std::vector<char>& cubin, const std::string& kernel) {
  for (const auto& [name, hash] : Cubin(std::as_bytes(std::span(cubin))).functions()) {
    if (name == kernel) return hash;
  }
  return 0;
}

}  // namespace

const std::vector<CUpti_CallbackId>& loading_calls() {
  static const std::vector<CUpti_CallbackId> all{
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,       CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
      CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,  CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile,
  };
  return all;
}

void LoadedCode::add_module(const CUpti_ModuleResourceData& module) {
  if (module.pCubin == nullptr || module.cubinSize == 0) return;
  auto bytes = copied(module.pCubin, module.cubinSize);
  const std::lock_guard lock(mutex_);
  loaded_here.push_back(cubins_.size());
  cubins_.push_back(std::move(bytes));
}

void LoadedCode::add_image(const void* image) {
  if (image == nullptr) return;
  const auto* text = static_cast<const char*>(image);
  Bytes kept;
  const bool is_elf = std::memcmp(image, ELFMAG, SELFMAG) == 0;
  if (is_elf) {
    kept = copied(image, elf_bytes(image));
  } else if (is_ptx(text)) {
    kept = copied(image, ::strnlen(text, most_text));
  }
  if (!kept) return;
  const std::lock_guard lock(mutex_);
  // What the callback shows later comes behind it, and is preferred.
  (is_elf ? cubins_ : sources_).push_back(std::move(kept));
}

void LoadedCode::add_file(const char* path) {
  if (path == nullptr) return;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.resize(text.size() + 64);  // zeros, so that nothing is read beyond
  add_image(text.data());
}

void LoadedCode::on_call(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const auto* parameters = call.functionParams;
  CUmodule* module = nullptr;
  const void* image = nullptr;
  const char* path = nullptr;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoad) {
    const auto* p = static_cast<const cuModuleLoad_params*>(parameters);
    module = p->module;
    path = p->fname;
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData) {
    const auto* p = static_cast<const cuModuleLoadData_params*>(parameters);
    module = p->module;
    image = p->image;
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx) {
    const auto* p = static_cast<const cuModuleLoadDataEx_params*>(parameters);
    module = p->module;
    image = p->image;
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary) {
    module = static_cast<const cuModuleLoadFatBinary_params*>(parameters)->module;
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData) {
    image = static_cast<const cuLibraryLoadData_params*>(parameters)->code;
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile) {
    path = static_cast<const cuLibraryLoadFromFile_params*>(parameters)->fileName;
  } else {
    return;
  }
  if (call.callbackSite == CUPTI_API_ENTER) {
    loaded_here.clear();
    add_image(image);
    add_file(path);
    return;
  }
  if (module == nullptr || *module == nullptr || loaded_here.size() != 1) return;
  const std::lock_guard lock(mutex_);
  of_module_[*module] = loaded_here.front();
}

LoadedCode::Bytes LoadedCode::cubin_of(const std::string& kernel, CUmodule module,
                                       bool& is_certain) const {
  const std::lock_guard lock(mutex_);
  is_certain = true;
  if (const auto known = of_module_.find(module); known != of_module_.end()) {
    const auto& cubin = cubins_[known->second];
    if (holds_kernel(*cubin, kernel)) return cubin;
  }
  // The newest; those with other code would be another kernel.
  Bytes newest;
  std::uint64_t its_hash = 0;
  for (auto cubin = cubins_.rbegin(); cubin != cubins_.rend(); ++cubin) {
    if (!holds_kernel(**cubin, kernel)) continue;
    const auto hash = hash_of(**cubin, kernel);
    if (!newest) {
      newest = *cubin;
      its_hash = hash;
    }
    is_certain = is_certain && hash == its_hash;
  }
  return newest;
}

LoadedCode::Bytes LoadedCode::ptx_of(const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  for (auto source = sources_.rbegin(); source != sources_.rend(); ++source) {
    const std::string_view text((*source)->data(), (*source)->size());
    auto at = text.find(".entry");
    while (at != std::string_view::npos) {
      const auto name = text.find_first_not_of(" \t\r\n", at + 6);
      if (name == std::string_view::npos) break;
      const auto rest = text.substr(name);
      const auto next = rest.size() > kernel.size() ? rest[kernel.size()] : '(';
      if (rest.starts_with(kernel) && (next == '(' || next == ' ' || next == '\n')) return *source;
      at = text.find(".entry", name);
    }
  }
  return nullptr;
}

}  // namespace apod::cuda
