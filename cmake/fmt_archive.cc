// Debian 12 ships fmt as headers and as a shared library, not as an archive. Compiled here once, so
// that the other sources neither compile it again nor need the shared library at run time.
#include <fmt/format-inl.h>

template class fmt::detail::buffer<char>;
template void fmt::detail::vformat_to(fmt::detail::buffer<char>&, fmt::string_view,
                                      fmt::basic_format_args<fmt::buffer_context<char>>,
                                      fmt::detail::locale_ref);
template fmt::detail::dragonbox::decimal_fp<float> fmt::detail::dragonbox::to_decimal(
    float) noexcept;
template fmt::detail::dragonbox::decimal_fp<double> fmt::detail::dragonbox::to_decimal(
    double) noexcept;
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl(fmt::detail::locale_ref);
template fmt::detail::locale_ref::locale_ref(std::locale const&);
template std::locale fmt::detail::locale_ref::get<std::locale>() const;
